import { allUp, certificate, connections, freeSpace, type Given, up } from './alarm-series.js';

/** Metrics that fire an alarm, with the resulting labels, and similar metrics that must not fire it. */
export interface AlarmCases {
  fires: [Given, Record<string, string>][];
  silent: Given[];
}

/** Cases of the alarms of the group `infrastructure`. */
export const infrastructureAlarmCases: Record<string, AlarmCases> = {
  // Watchdog is the only alarm that always fires.
  Watchdog: { fires: [[{}, {}]], silent: [] },
  AlarmsNotSent: {
    fires: [
      [
        {
          ...up('alertmanager', 1),
          'alertmanager_notifications_failed_total{job="alertmanager", integration="slack"}': '0.01/s',
        },
        { integration: 'slack' },
      ],
      [up('alertmanager', 0), {}],
      [allUp, {}],
    ],
    silent: [
      {
        ...up('alertmanager', 1),
        'alertmanager_notifications_failed_total{job="alertmanager", integration="slack"}': 3,
      },
    ],
  },
  PostgresDown: {
    fires: [
      [{ 'pg_up{job="postgres", instance="a:9187"}': 0 }, { job: 'postgres', instance: 'a:9187' }],
      [allUp, { job: 'postgres' }],
    ],
    silent: [{ 'pg_up{job="postgres", instance="a:9187"}': 1 }],
  },
  PostgresConnections: {
    fires: [[connections(109), { instance: 'a:9187' }]],
    silent: [connections(106)],
  },
  ReplicationLag: {
    fires: [
      [
        { 'pg_stat_replication_pg_wal_lsn_diff{job="postgres", application_name="b"}': 68_000_000 },
        { application_name: 'b' },
      ],
      [
        { 'pg_replication_slots_pg_wal_lsn_diff{job="postgres", slot_name="b"}': 1_080_000_000 },
        { slot_name: 'b' },
      ],
    ],
    silent: [
      {
        'pg_stat_replication_pg_wal_lsn_diff{job="postgres", application_name="b"}': 67_000_000,
        'pg_replication_slots_pg_wal_lsn_diff{job="postgres", slot_name="b"}': 1_070_000_000,
      },
    ],
  },
  StandbyDown: {
    fires: [
      [
        {
          'pg_replication_slots_active{job="postgres", slot_name="b"}': 0,
          'pg_replication_slots_active{job="postgres", slot_name="c"}': 1,
        },
        { slot_name: 'b' },
      ],
    ],
    silent: [{ 'pg_replication_slots_active{job="postgres", slot_name="b"}': 1 }, {}],
  },
  DiskSpaceLow: {
    fires: [[freeSpace('/volumes/postgres', 14), { mountpoint: '/volumes/postgres' }]],
    silent: [freeSpace('/volumes/postgres', 16), freeSpace('/boot', 1)],
  },
  ExporterDown: {
    fires: [
      [up('disks', 0), { job: 'disks', instance: 'a:9090' }],
      [up('certificates', 0), { job: 'certificates', instance: 'a:9090' }],
    ],
    silent: [{ ...up('disks', 1), ...up('certificates', 1), ...up('postgres', 0) }, allUp],
  },
  CertificateExpires: {
    fires: [
      [certificate(1_100_000), { job: 'certificates', instance: 'tocsin.example:443' }],
      [
        { 'probe_success{job="certificates", instance="tocsin.example:443"}': 0 },
        { job: 'certificates', instance: 'tocsin.example:443' },
      ],
    ],
    silent: [certificate(1_400_000)],
  },
};
