import { connect } from 'amqplib';
import { Client } from 'pg';

/** Checks the servers that the integration tests of the repository share. */
describe('the test servers', () => {
  test('PostgreSQL is running with a user who may create databases', async () => {
    const client = new Client({ connectionString: process.env.TOCSIN_TEST_DATABASE_URL });
    await client.connect();
    await client.query('create database harness_probe');
    await client.query('drop database harness_probe');
    await client.end();
  });

  test('the broker is running and supports quorum queues', async () => {
    const connection = await connect(process.env.TOCSIN_TEST_AMQP_URL ?? '');
    const channel = await connection.createChannel();
    await channel.assertQueue('harness-probe', { durable: true, arguments: { 'x-queue-type': 'quorum' } });
    await channel.deleteQueue('harness-probe');
    await connection.close();
  });

  test('the provider issues tokens for each role', async () => {
    const clients = JSON.parse(process.env.TOCSIN_TEST_OIDC_CLIENTS ?? '{}') as Record<
      string,
      Record<string, string>
    >;
    expect(Object.keys(clients)).toEqual(['admin', 'editor', 'reader', 'publisher', 'outsider', 'responder']);
    for (const client of Object.values(clients)) {
      const response = await fetch(`${process.env.TOCSIN_TEST_OIDC_ISSUER}/protocol/openid-connect/token`, {
        method: 'POST',
        body: new URLSearchParams({ grant_type: 'client_credentials', ...client }),
      });
      expect(response.status).toBe(200);
    }
  });
});
