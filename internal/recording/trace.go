package recording

import (
	"time"

	"acpshim/internal/config"
	"acpshim/internal/otlp"
	"acpshim/internal/otlp/endpoint"
	"acpshim/internal/telemetry"
)

// tracesFor is how long the collector may take at the end of a run.
const tracesFor = 2 * time.Second

// NewCollector returns what posts to the collector at an address, with the headers that the
// configuration names.
func NewCollector(c config.Config, base string) (*otlp.Client, error) {
	address, err := endpoint.Parse(base)
	if err != nil {
		return nil, err
	}
	headers, err := telemetry.Headers(c.Telemetry.Headers)
	return &otlp.Client{URL: address, Headers: headers}, err
}

// trace begins to send traces. What is wrong with the environment is logged: the run goes on.
func (r *Recording) trace(c config.Config, version string) {
	o := telemetry.LiveOptions{Version: version, Failed: r.notSent}
	o.Run, o.Contents = r.recorder.Run(), c.Telemetry.Contents
	redactor, err := NewRedactor(c, false)
	if err == nil {
		o.Client, err = NewCollector(c, c.Telemetry.Endpoint)
	}
	if err != nil {
		r.notSent(err)
		return
	}
	o.Line = func(line []byte) []byte { return redactor.Redact(nil, line) }
	o.Redact = func(text string) string { return string(redactor.Redact(nil, []byte(text))) }
	r.live = telemetry.Begin(o)
}

// notSent logs why traces do not arrive.
func (r *Recording) notSent(err error) {
	if log := r.log.Load(); log != nil {
		log.Warn().Err(err).Msg("traces are not sent")
	} else {
		r.unsent.Store(&err)
	}
}

// endTrace sends what is left of the traces.
func (r *Recording) endTrace() {
	if err := r.live.Close(tracesFor); err != nil {
		r.log.Load().Warn().Err(err).Msg("not all traces were sent")
	}
}
