// Publishes one alert to the broker with amqp091-go, as a persistent and mandatory message with a publisher confirm.
//
//	TOCSIN_AMQP_URL=amqps://monitor:PASSWORD@broker.example.com go run . WORKSPACE_ID RULE_ID MODEL_ID VALUE
//
// Prints the id of the alert after the confirm, and exits with 1 otherwise.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/google/uuid"
	amqp "github.com/rabbitmq/amqp091-go"
)

const (
	exchange   = "tocsin.alerts"
	routingKey = "alert.fired"
	tries      = 5
)

// alert is the alert-fired message. All tries send the same id, so Tocsin recognizes a repeated alert.
type alert struct {
	Type        string            `json:"type"`
	Version     int               `json:"version"`
	AlertID     string            `json:"alert_id"`
	WorkspaceID string            `json:"workspace_id"`
	FiredAt     time.Time         `json:"fired_at"`
	AlertRuleID string            `json:"alert_rule_id"`
	ModelID     string            `json:"model_id"`
	ModelName   string            `json:"model_name"`
	MetricValue float64           `json:"metric_value"`
	State       string            `json:"state"`
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations"`
}

// errRejected marks a failure for which retries do not help.
var errRejected = errors.New("the broker rejects this publisher")

func main() {
	url := os.Getenv("TOCSIN_AMQP_URL")
	if url == "" || len(os.Args) != 5 {
		fmt.Fprintln(os.Stderr, "usage: TOCSIN_AMQP_URL=... go run . WORKSPACE_ID RULE_ID MODEL_ID VALUE")
		os.Exit(2)
	}
	value, err := strconv.ParseFloat(os.Args[4], 64)
	if err != nil {
		fail(err)
	}
	fired := alert{
		Type:        "alert.fired",
		Version:     1,
		AlertID:     uuid.NewString(),
		WorkspaceID: os.Args[1],
		FiredAt:     time.Now().UTC(),
		AlertRuleID: os.Args[2],
		ModelID:     os.Args[3],
		ModelName:   "Loan approval v2",
		MetricValue: value,
		State:       "firing",
		Labels:      map[string]string{"team": "risk", "language": "go"},
		Annotations: map[string]string{"summary": "Published by the Go example."},
	}
	body, err := json.Marshal(fired)
	if err != nil {
		fail(err)
	}
	if err := publishUntilConfirmed(url, body); err != nil {
		fail(err)
	}
	fmt.Println(fired.AlertID)
}

func publishUntilConfirmed(url string, body []byte) error {
	var err error
	for attempt := 1; attempt <= tries; attempt++ {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		err = publish(ctx, url, body)
		cancel()
		if err == nil || errors.Is(err, errRejected) {
			return err
		}
		if attempt < tries {
			time.Sleep(time.Duration(attempt) * 500 * time.Millisecond)
		}
	}
	return fmt.Errorf("the alert was not confirmed: %w", err)
}

// publish returns nil when the broker has confirmed the message and routed it to a queue.
func publish(ctx context.Context, url string, body []byte) error {
	connection, err := amqp.DialConfig(url, amqp.Config{Heartbeat: 30 * time.Second, Locale: "en_US"})
	if err != nil {
		return rejectedOr(err)
	}
	defer connection.Close()
	channel, err := connection.Channel()
	if err != nil {
		return rejectedOr(err)
	}
	if err := channel.Confirm(false); err != nil {
		return err
	}
	returned := channel.NotifyReturn(make(chan amqp.Return, 1))
	closed := channel.NotifyClose(make(chan *amqp.Error, 1))
	message := amqp.Publishing{
		ContentType:  "application/json",
		DeliveryMode: amqp.Persistent,
		Type:         "alert.fired",
		Body:         body,
	}
	const mandatory, immediate = true, false
	confirm, err := channel.PublishWithDeferredConfirmWithContext(ctx, exchange, routingKey, mandatory, immediate, message)
	if err != nil {
		return rejectedOr(err)
	}
	confirmed, err := confirm.WaitContext(ctx)
	if err != nil {
		return err
	}
	select {
	case <-returned:
		return fmt.Errorf("%w: no queue is bound to %s; start a service of Tocsin once, which declares it", errRejected, exchange)
	case reason := <-closed:
		return rejectedOr(reason)
	default:
	}
	if !confirmed {
		return errors.New("the broker did not accept the message")
	}
	return nil
}

// rejectedOr wraps errRejected around a wrong login, a missing permission and a missing exchange.
func rejectedOr(err error) error {
	var reason *amqp.Error
	if errors.As(err, &reason) && (reason.Code == amqp.AccessRefused || reason.Code == amqp.NotFound || reason.Code == amqp.NotAllowed) {
		return fmt.Errorf("%w: %v", errRejected, reason)
	}
	return err
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
