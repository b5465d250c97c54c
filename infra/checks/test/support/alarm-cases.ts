import {
  allUp,
  connectionsWaiting,
  databaseWritable,
  durations,
  failed,
  requests,
  startedEach,
  succeeded,
  up,
  waits,
  watermarks,
} from './alarm-series.js';
import { type AlarmCases, infrastructureAlarmCases } from './infrastructure-alarm-cases.js';

/** Cases of all alarms, by name. */
export const alarmCases: Record<string, AlarmCases> = {
  ...infrastructureAlarmCases,
  ServiceDown: {
    fires: [
      [
        { ...allUp, ...up('engine-auth', 0) },
        { job: 'engine-auth', instance: 'a:9090' },
      ],
      [{ ...up('engine-auth', 1), ...up('delivery-worker', 1) }, { job: 'webhook-api' }],
    ],
    silent: [{ ...allUp, ...up('rabbitmq', 0) }],
  },
  ServiceRestarts: {
    fires: [
      [
        { ...allUp, ...startedEach('60s') },
        { job: 'engine-auth', instance: 'a:9090' },
      ],
    ],
    silent: [{ ...allUp, ...startedEach('450s') }, startedEach('60s', 'rabbitmq')],
  },
  NoDeliveryWorker: {
    fires: [
      [{ ...allUp, ...up('delivery-worker', 0) }, {}],
      [{ ...up('webhook-api', 1), ...up('engine-auth', 1) }, {}],
    ],
    silent: [{ ...allUp, 'up{job="delivery-worker", instance="b:9090"}': 0 }],
  },
  NotReady: {
    fires: [[requests('503', 0.1, '/readyz'), { job: 'webhook-api' }]],
    silent: [requests('200', 0.1, '/readyz'), requests('503', 0.1)],
  },
  BrokerDown: {
    fires: [
      [up('rabbitmq', 0), {}],
      [allUp, {}],
    ],
    silent: [
      { ...allUp, ...up('webhook-api', 0), ...up('rabbitmq', 1) },
      { ...up('rabbitmq', 0), 'up{job="rabbitmq", instance="b:9090"}': 1 },
    ],
  },
  BrokerNodeDown: {
    fires: [
      [
        { ...up('rabbitmq', 0), 'up{job="rabbitmq", instance="b:9090"}': 1 },
        { job: 'rabbitmq', instance: 'a:9090' },
      ],
    ],
    silent: [up('rabbitmq', 1), allUp],
  },
  BrokerBlocked: {
    fires: [
      [watermarks(1, 0), {}],
      [watermarks(0, 1), {}],
    ],
    silent: [watermarks(0, 0)],
  },
  DatabaseNotWritable: {
    fires: [[databaseWritable(0), { job: 'delivery-worker', instance: 'a:9090' }]],
    silent: [databaseWritable(1)],
  },
  PipelineLag: {
    fires: [
      [
        { 'tocsin_pipeline_lag_seconds{instance="a"}': 4, 'tocsin_pipeline_lag_seconds{instance="b"}': 121 },
        {},
      ],
    ],
    silent: [{ tocsin_pipeline_lag_seconds: 119 }],
  },
  FirstAttemptOverdue: {
    fires: [[{ tocsin_oldest_delivery_seconds: 121 }, {}]],
    silent: [{ tocsin_oldest_delivery_seconds: 119 }, { tocsin_oldest_due_seconds: 121 }],
  },
  Undecryptable: {
    fires: [
      [{ 'tocsin_deferrals_total{reason="undecryptable"}': '0.01/s' }, {}],
      [{ 'tocsin_keys_mismatch{instance="a"}': 0, 'tocsin_keys_mismatch{instance="b"}': 1 }, {}],
    ],
    silent: [
      { 'tocsin_deferrals_total{reason="undecryptable"}': 7, tocsin_keys_mismatch: 0 },
      { 'tocsin_deferrals_total{reason="no_slot"}': '9/s' },
    ],
  },
  DeliveriesOverdue: {
    fires: [[{ tocsin_oldest_due_seconds: 121 }, {}]],
    silent: [{ tocsin_oldest_due_seconds: 60 }, { tocsin_oldest_due_seconds: Number.NaN }],
  },
  FirstAttemptSlow: { fires: [[waits(1, 0.9), {}]], silent: [waits(1, 0.99), waits(0.04, 0)] },
  DeliveriesFailing: {
    fires: [[{ ...failed('http_status', 0.3), ...succeeded(0.7) }, {}]],
    silent: [{ ...failed('http_status', 0.1), ...succeeded(0.9) }, failed('http_status', 0.01)],
  },
  DeliveryCrashesWorker: {
    fires: [
      [
        failed('crashes_worker', 0.01),
        { job: 'delivery-worker', outcome: 'failed', error_code: 'crashes_worker' },
      ],
    ],
    silent: [{ ...failed('crashes_worker', 0), ...failed('timeout', 1) }],
  },
  InternalErrors: {
    fires: [[{ 'tocsin_attempts_total{outcome="retry", error_code="internal_error"}': '0.02/s' }, {}]],
    silent: [{ 'tocsin_attempts_total{outcome="retry", error_code="timeout"}': '5/s' }],
  },
  LeasesExpired: {
    fires: [[{ tocsin_leases_expired_total: '2/s' }, {}]],
    silent: [{ tocsin_leases_expired_total: '0.5/s' }],
  },
  MessagesFailing: {
    fires: [[{ tocsin_messages_failed_total: '0.2/s' }, {}]],
    silent: [{ tocsin_messages_failed_total: 7 }],
  },
  DeadLetters: {
    fires: [
      [
        { 'tocsin_dead_letters_total{reason="malformed_message"}': '0.01/s' },
        { reason: 'malformed_message' },
      ],
    ],
    silent: [{ 'tocsin_dead_letters_total{reason="malformed_message"}': 5 }],
  },
  ArchiveLate: {
    fires: [
      [
        {
          'tocsin_archive_oldest_seconds{instance="a"}': 180_000,
          'tocsin_archive_oldest_seconds{instance="b"}': 0,
        },
        {},
      ],
    ],
    silent: [{ 'tocsin_archive_oldest_seconds{instance="a"}': 90_000 }],
  },
  MaintenanceLate: {
    fires: [
      [
        { 'tocsin_maintenance_last_success_timestamp_seconds{maintenance="partitions"}': -9_000 },
        { maintenance: 'partitions' },
      ],
    ],
    silent: [
      {
        'tocsin_maintenance_last_success_timestamp_seconds{maintenance="jobs", instance="a"}': -9_000,
        'tocsin_maintenance_last_success_timestamp_seconds{maintenance="jobs", instance="b"}': -5_000,
      },
    ],
  },
  DatabasePoolExhausted: {
    fires: [[connectionsWaiting(11), { job: 'webhook-api', pool: 'main' }]],
    silent: [connectionsWaiting(9)],
  },
  OverQuota: {
    fires: [
      [{ 'tocsin_over_quota_total{limit="workspace"}': '0.01/s' }, { limit: 'workspace' }],
      [{ 'tocsin_over_quota_total{limit="webhook"}': '9/s' }, { limit: 'webhook' }],
      [
        {
          'tocsin_over_quota_total{limit="workspace"}': 40,
          'tocsin_over_quota_requests_total{limit="workspace"}': '0.01/s',
        },
        { limit: 'workspace' },
      ],
    ],
    silent: [{ 'tocsin_over_quota_total{limit="webhook"}': 40 }],
  },
  ManyCircuitsOpen: {
    fires: [[{ 'tocsin_webhooks_paused{reason="circuit"}': 21 }, {}]],
    silent: [
      { 'tocsin_webhooks_paused{reason="circuit"}': 3, 'tocsin_webhooks_paused{reason="retry_after"}': 99 },
    ],
  },
  SlotsExhausted: {
    fires: [
      [{ 'tocsin_deferrals_total{reason="no_slot"}': '6/s' }, {}],
      [{ 'tocsin_deferrals_total{reason="no_slot"}': '0/s', tocsin_in_flight: 281, tocsin_slots: 400 }, {}],
    ],
    silent: [
      { 'tocsin_deferrals_total{reason="paused"}': '60/s' },
      { tocsin_in_flight: 270, tocsin_slots: 400 },
    ],
  },
  ApiErrors: {
    fires: [[{ ...requests('200', 9), ...requests('503', 1) }, { job: 'webhook-api' }]],
    silent: [
      { ...requests('200', 99), ...requests('503', 1) },
      { ...requests('401', 9), ...requests('404', 9) },
      { ...requests('200', 9), ...requests('503', 9, '/readyz') },
      { ...requests('200', 1, '/livez'), ...requests('503', 0.05) },
    ],
  },
  ApiSlow: {
    fires: [[durations('/api/v1/whoami', 1, 0.9), { job: 'webhook-api' }]],
    silent: [
      durations('/api/v1/whoami', 1, 0.99),
      durations('/api/v1/webhooks/{id}/test', 1, 0),
      { ...durations('/api/v1/whoami', 0.05, 0), ...requests('200', 1, '/readyz') },
    ],
  },
  TokenChecksUnavailable: {
    fires: [
      [
        { 'tocsin_token_checks_total{job="webhook-api", result="unavailable"}': '1/s' },
        { job: 'webhook-api' },
      ],
    ],
    silent: [{ 'tocsin_token_checks_total{job="webhook-api", result="invalid"}': '9/s' }],
  },
  KeyGuessing: {
    fires: [
      [
        {
          'tocsin_bcrypt_seconds_count{instance="a"}': '1.5/s',
          'tocsin_bcrypt_seconds_count{instance="b"}': '1.5/s',
        },
        {},
      ],
    ],
    silent: [{ tocsin_bcrypt_seconds_count: '1/s' }],
  },
  BrokerBacklog: {
    fires: [[{ 'rabbitmq_queue_messages{job="rabbitmq"}': 50_001 }, {}]],
    silent: [
      { 'rabbitmq_queue_messages{job="rabbitmq"}': 900, 'rabbitmq_queue_messages{job="other"}': 50_001 },
    ],
  },
};
