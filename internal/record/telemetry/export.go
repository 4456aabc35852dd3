package telemetry

import (
	"context"
	"io"

	"acpshim/internal/record"
	"acpshim/internal/record/history"
	"acpshim/internal/record/redact"
	"acpshim/internal/system/otlp"
	"acpshim/internal/text/terminal"
)

// An Export exports the traces of a record.
type Export struct {
	Contents  bool             // see Options
	GoesOn    bool             // the run has not ended, so open spans are left out
	Redactor  *redact.Redactor // hides secrets that stand in several members; may be nil
	Collector *otlp.Client     // gets the traces; with nil they are written
}

// Write posts the traces of a record to the collector, or writes them as requests of OTLP, one per
// line, for the file receiver of collectors. It calls note with remarks for people.
func (e Export) Write(w io.Writer, h *history.History, note func(string)) error {
	o, version := Options{Contents: e.Contents}, ""
	if e.Redactor != nil {
		o.Redact = func(text string) string { return string(e.Redactor.Redact(nil, []byte(text))) }
	}
	if h.Start != nil {
		o.Run, version = h.Start.Run, h.Start.Acpshim
	}
	spans, left := spansOf(h, e.GoesOn, o)
	if left > 0 {
		note("left out, because too much had not ended: " + terminal.Count(left, "span", "spans"))
	}
	envelope := otlp.NewEnvelope(version, o.Run)
	if e.Collector != nil {
		return e.Collector.Send(context.Background(), envelope, spans)
	}
	for request := range envelope.Requests(spans) {
		if _, err := w.Write(append(request, '\n')); err != nil {
			return err
		}
	}
	return nil
}

// spansOf returns the spans of a record, in the order of their ends, and how many were left out.
// Open spans end at the last message, or are left out if the run goes on. The same record always
// has the same spans.
func spansOf(h *history.History, goesOn bool, o Options) (spans []*otlp.Span, left int) {
	t := newTracer(o, func(s *otlp.Span) { spans = append(spans, s) })
	t.gaps = h.Missing != (record.Missing{Ended: true})
	for _, m := range h.Messages {
		t.add(m)
	}
	if !goesOn {
		t.close()
	}
	return spans, t.left
}
