import type { Alert } from '@tocsin/client/browser';
import { Link, useParams } from 'react-router';
import { Permitted, useAlert, useDeliveriesOfAlert, useDispatchAlert } from '../api/index.js';
import { usePaths } from '../paths.js';
import { DeliveriesOfAlert } from '../shared/delivery-table.js';
import { RecordPage } from '../shared/record-page.js';
import { RuleLink } from '../shared/rule-link.js';
import { alertOutcomeWords, wordsOf } from '../shared/words.js';
import {
  Card,
  ConfirmButton,
  ExactTime,
  Facts,
  Failure,
  Loading,
  Notice,
  type PageHead,
} from '../ui/index.js';
import { AlertOutcome, describeMeasurement } from './alert-words.js';

export function AlertPage() {
  const { alertId = '' } = useParams();
  return (
    <RecordPage kind="alert" query={useAlert(alertId)} head={headOf}>
      {(alert) => <Record alert={alert} />}
    </RecordPage>
  );
}

function headOf({ alert_id, alert_rule_name }: Alert): PageHead {
  return { title: alert_rule_name, lead: `Alert ${alert_id}` };
}

function Record({ alert }: { alert: Alert }) {
  const paths = usePaths();
  const deliveries = useDeliveriesOfAlert(alert.alert_id);
  const suppressedBy = alert.suppressed_by?.alert_id ?? null;
  return (
    <>
      <Card>
        <div className="row">
          <AlertOutcome alert={alert} />
          <span>{reasonOf(alert)}</span>
        </div>
        <Facts
          facts={[
            ['Alert rule', <RuleLink key="rule" id={alert.alert_rule_id} name={alert.alert_rule_name} />],
            ['Model', <ModelName key="model" alert={alert} />],
            ['Measurement', describeMeasurement(alert)],
            ['Labels', hasEntries(alert.labels) && <Labels key="labels" alert={alert} />],
            ['Annotations', hasEntries(alert.annotations) && <Annotations key="annotations" alert={alert} />],
            ['Fired', <ExactTime key="fired" at={alert.fired_at} />],
            ['Accepted', <ExactTime key="accepted" at={alert.accepted_at} />],
            ['Dispatched by hand', alert.dispatched_at && <Dispatched key="dispatched" alert={alert} />],
          ]}
        />
        {suppressedBy !== null && (
          <p>
            <Link to={paths.alert(suppressedBy)}>The alert that started the cooldown</Link>
          </p>
        )}
        {deliveries.data?.length === 0 && alert.outcome !== 'dispatched' && (
          <Permitted permission="delivery_redeliver" what="Dispatch by hand">
            <Dispatch id={alert.alert_id} />
          </Permitted>
        )}
      </Card>
      <h2>Deliveries</h2>
      <Permitted permission="delivery_read" what="The list of deliveries">
        {deliveries.error !== null && <Failure error={deliveries.error} />}
        {deliveries.data === undefined && deliveries.error === null && <Loading what="the deliveries" />}
        {deliveries.data?.length === 0 && <Notice>No webhook was called for this alert.</Notice>}
        {deliveries.data !== undefined && deliveries.data.length > 0 && (
          <DeliveriesOfAlert rows={deliveries.data} />
        )}
      </Permitted>
    </>
  );
}

const dayMs = 86_400_000;

/**
 * Returns the start time of a search for similar alerts, ISO 8601. It is one week before the alert, but at most 30 days
 * ago, because the API searches at most 31 days.
 */
function searchStart({ accepted_at }: Alert): string {
  return new Date(Math.max(Date.parse(accepted_at) - 7 * dayMs, Date.now() - 30 * dayMs)).toISOString();
}

/** Shows the name of the model. The name links to the list of alerts of this model. */
function ModelName({ alert }: { alert: Alert }) {
  const paths = usePaths();
  const { model_id, model_name } = alert;
  return <Link to={paths.alerts({ model_id, since: searchStart(alert) })}>{model_name}</Link>;
}

/** Shows the labels of the alert. Each label links to the list of alerts with the same label. */
function Labels({ alert }: { alert: Alert }) {
  const paths = usePaths();
  return (
    <span className="row">
      {Object.entries(alert.labels).map(([name, value]) => {
        const label = `${name}:${value}`;
        return (
          <Link key={name} to={paths.alerts({ label, since: searchStart(alert) })}>
            {label}
          </Link>
        );
      })}
    </span>
  );
}

function hasEntries(texts: Readonly<Record<string, string>>): boolean {
  return Object.keys(texts).length > 0;
}

/** Lists the annotations of the alert, one on each line. */
function Annotations({ alert }: { alert: Alert }) {
  return Object.entries(alert.annotations).map(([name, value]) => (
    <div key={name}>{`${name}: ${value}`}</div>
  ));
}

/**
 * Button that dispatches the alert to the webhooks that are attached to its rule now. They can differ from the webhooks
 * that were attached when the alert was published.
 */
function Dispatch({ id }: { id: string }) {
  const dispatch = useDispatchAlert(id);
  return (
    <>
      <div>
        <ConfirmButton
          title="Dispatch this alert now?"
          question="The webhooks that are attached to the rule now are called with the data of this alert."
          action="Dispatch"
          isPending={dispatch.isPending}
          onConfirm={() => dispatch.mutate()}
        >
          {dispatch.isPending ? 'Dispatching …' : 'Dispatch now'}
        </ConfirmButton>
      </div>
      {dispatch.error !== null && <Failure error={dispatch.error} />}
    </>
  );
}

function Dispatched({ alert: { dispatched_at, dispatched_by } }: { alert: Alert }) {
  return (
    <>
      {dispatched_at !== null && <ExactTime at={dispatched_at} />}
      {dispatched_by !== null && ` by ${dispatched_by}`}
    </>
  );
}

function reasonOf({ outcome, outcome_reason }: Alert): string {
  return outcome_reason ?? wordsOf(alertOutcomeWords, outcome)?.reason ?? outcome;
}
