import com.google.gson.Gson;
import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.PossibleAuthenticationFailureException;
import com.rabbitmq.client.Return;
import com.rabbitmq.client.ShutdownSignalException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Publishes one alert to the broker with amqp-client, as a persistent and mandatory message with a publisher confirm.
 *
 * <pre>
 * TOCSIN_AMQP_URL=amqps://monitor:PASSWORD@broker.example.com \
 *   mvn -q compile exec:java -Dexec.args="WORKSPACE_ID RULE_ID MODEL_ID VALUE"
 * </pre>
 *
 * Prints the id of the alert after the confirm, and exits with 1 otherwise.
 */
public final class PublishAlert {
  private static final String EXCHANGE = "tocsin.alerts";
  private static final String ROUTING_KEY = "alert.fired";
  private static final int TRIES = 5;
  private static final long CONFIRM_TIMEOUT_MS = 10_000;

  /** A wrong login, a missing permission, or a missing exchange or queue. Retries do not help. */
  private static final class Rejected extends Exception {
    Rejected(String message) {
      super(message);
    }
  }

  public static void main(String[] args) throws Exception {
    String url = System.getenv("TOCSIN_AMQP_URL");
    if (url == null || args.length != 4) {
      System.err.println("usage: TOCSIN_AMQP_URL=... PublishAlert WORKSPACE_ID RULE_ID MODEL_ID VALUE");
      System.exit(2);
    }
    // All tries send the same id, so Tocsin recognizes a repeated alert.
    String alertId = UUID.randomUUID().toString();
    Map<String, Object> alert =
        Map.ofEntries(
            Map.entry("type", "alert.fired"),
            Map.entry("version", 1),
            Map.entry("alert_id", alertId),
            Map.entry("workspace_id", args[0]),
            Map.entry("fired_at", Instant.now().toString()),
            Map.entry("alert_rule_id", args[1]),
            Map.entry("model_id", args[2]),
            Map.entry("model_name", "Loan approval v2"),
            Map.entry("metric_value", Double.parseDouble(args[3])),
            Map.entry("state", "firing"),
            Map.entry("labels", Map.of("team", "risk", "language", "java")),
            Map.entry("annotations", Map.of("summary", "Published by the Java example.")));
    try {
      publishUntilConfirmed(url, new Gson().toJson(alert).getBytes(StandardCharsets.UTF_8));
    } catch (Rejected | IOException | TimeoutException error) {
      System.err.println("The alert was not published: " + error.getMessage());
      System.exit(1);
    }
    System.out.println(alertId);
  }

  private static void publishUntilConfirmed(String url, byte[] body) throws Exception {
    for (int attempt = 1; ; attempt++) {
      try {
        publish(url, body);
        return;
      } catch (IOException | TimeoutException error) {
        if (attempt == TRIES) throw error;
        Thread.sleep(500L * attempt);
      }
    }
  }

  /** Returns when the broker has confirmed the message and routed it to a queue. */
  private static void publish(String url, byte[] body) throws Exception {
    ConnectionFactory factory = new ConnectionFactory();
    factory.setUri(url);
    factory.setRequestedHeartbeat(30);
    factory.setAutomaticRecoveryEnabled(false);
    try (Connection connection = factory.newConnection()) {
      Channel channel = connection.createChannel();
      channel.confirmSelect();
      AtomicReference<Return> returned = new AtomicReference<>();
      channel.addReturnListener(returned::set);
      AMQP.BasicProperties properties =
          new AMQP.BasicProperties.Builder()
              .contentType("application/json")
              .deliveryMode(2)
              .type("alert.fired")
              .build();
      channel.basicPublish(EXCHANGE, ROUTING_KEY, true, properties, body);
      boolean accepted = channel.waitForConfirms(CONFIRM_TIMEOUT_MS);
      if (returned.get() != null) {
        throw new Rejected(
            "no queue is bound to " + EXCHANGE + "; start a service of Tocsin once, which declares it");
      }
      if (!accepted) throw new IOException("the broker did not accept the message");
    } catch (PossibleAuthenticationFailureException error) {
      throw new Rejected(error.getMessage());
    } catch (ShutdownSignalException error) {
      // The broker closes only the channel for a missing exchange (404) or permission (403). Retries do not help then.
      if (!error.isHardError() && !error.isInitiatedByApplication()) throw new Rejected(error.getMessage());
      throw new IOException(error.getMessage(), error);
    }
  }
}
