package recording

import (
	"fmt"
	"os"
	"time"

	"acpshim/internal/record/telemetry"
	"acpshim/internal/setup/config"
	"acpshim/internal/system/otlp"
	"acpshim/internal/system/otlp/endpoint"

	"github.com/rs/zerolog"
)

// tracesFor is the time that the collector has at the end of a run.
const tracesFor = 2 * time.Second

// NewCollector returns a client of the collector at an address. It sends the headers that the
// configuration names.
func NewCollector(c config.Config, base string) (*otlp.Client, error) {
	address, err := endpoint.Parse(base)
	if err != nil {
		return nil, err
	}
	client := &otlp.Client{URL: address}
	if variable := c.Telemetry.Headers; variable != "" {
		if client.Headers, err = otlp.ParseHeaders(os.Getenv(variable)); err != nil {
			return nil, fmt.Errorf("%s: %w", variable, err)
		}
		if len(client.Headers) > 0 && endpoint.IsInClear(address) && !c.Telemetry.Insecure {
			return nil, fmt.Errorf("the headers in %s would be sent unencrypted to another machine: want https, or telemetry.insecure = true", variable)
		}
	}
	return client, nil
}

// trace begins to send traces. It logs an error and the run goes on without traces.
func (r *Recording) trace(c config.Config, version string) {
	failed := func(err error) { r.report(zerolog.WarnLevel, err, "traces are not sent") }
	o := telemetry.LiveOptions{Version: version, Failed: failed}
	o.Run, o.Contents = r.recorder.Run(), c.Telemetry.Contents
	redactor, err := NewRedactor(c, false)
	if err == nil {
		o.Client, err = NewCollector(c, c.Telemetry.Endpoint)
	}
	if err != nil {
		failed(err)
		return
	}
	o.Line = func(line []byte) []byte { return redactor.Redact(nil, line) }
	o.Redact = func(text string) string { return string(redactor.Redact(nil, []byte(text))) }
	r.live = telemetry.Begin(o)
}
