#!/usr/bin/env python3
"""Publishes one alert to the broker with pika, as a persistent and mandatory message with a publisher confirm.

    pip install pika        # or: apt-get install python3-pika
    TOCSIN_AMQP_URL=amqps://monitor:PASSWORD@broker.example.com \
        python3 publish_alert.py WORKSPACE_ID RULE_ID MODEL_ID VALUE

Prints the id of the alert after the confirm, and exits with 1 otherwise.
"""

import json
import os
import sys
import time
import uuid
from datetime import datetime, timezone

import pika
from pika.exceptions import (
    AMQPChannelError,
    AMQPConnectionError,
    NackError,
    ProbableAccessDeniedError,
    ProbableAuthenticationError,
    UnroutableError,
)

EXCHANGE = "tocsin.alerts"
ROUTING_KEY = "alert.fired"
TRIES = 5


def main():
    url = os.environ.get("TOCSIN_AMQP_URL")
    if not url or len(sys.argv) != 5:
        sys.exit("usage: TOCSIN_AMQP_URL=... publish_alert.py WORKSPACE_ID RULE_ID MODEL_ID VALUE")
    workspace_id, rule_id, model_id, value = sys.argv[1:]
    alert = {
        "type": "alert.fired",
        "version": 1,
        # All tries send the same id, so Tocsin recognizes a repeated alert.
        "alert_id": str(uuid.uuid4()),
        "workspace_id": workspace_id,
        "fired_at": datetime.now(timezone.utc).isoformat(),
        "alert_rule_id": rule_id,
        "model_id": model_id,
        "model_name": "Loan approval v2",
        "metric_value": float(value),
        "state": "firing",
        "labels": {"team": "risk", "language": "python"},
        "annotations": {"summary": "Published by the Python example."},
    }
    publish_until_confirmed(url, alert)
    print(alert["alert_id"])


def publish_until_confirmed(url, alert):
    for attempt in range(1, TRIES + 1):
        try:
            return publish(url, alert)
        except UnroutableError:
            sys.exit(f"No queue is bound to {EXCHANGE}: start a service of Tocsin once, which declares it.")
        except (ProbableAuthenticationError, ProbableAccessDeniedError, AMQPChannelError) as error:
            # A wrong login, a missing permission or a missing exchange: retries do not help.
            sys.exit(f"The broker rejects this publisher: {error!r}")
        except (NackError, AMQPConnectionError) as error:
            if attempt == TRIES:
                sys.exit(f"The alert was not confirmed: {error!r}")
            time.sleep(min(2**attempt / 4, 5))


def publish(url, alert):
    """Returns when the broker has confirmed the message and routed it to a queue."""
    parameters = pika.URLParameters(url)
    parameters.heartbeat = 30
    parameters.blocked_connection_timeout = 10
    connection = pika.BlockingConnection(parameters)
    try:
        channel = connection.channel()
        channel.confirm_delivery()
        channel.basic_publish(
            EXCHANGE,
            ROUTING_KEY,
            json.dumps(alert, allow_nan=False).encode(),
            pika.BasicProperties(content_type="application/json", delivery_mode=2, type="alert.fired"),
            mandatory=True,
        )
    finally:
        if connection.is_open:
            connection.close()


if __name__ == "__main__":
    main()
