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
	GoesOn    bool             // the run has not ended, so open spans are omitted
	Redactor  *redact.Redactor // removes secrets that are split over chunks; may be nil
	Collector *otlp.Client     // gets the traces; if it is nil, Write writes them
}

// Write posts the traces of a record to the collector. Without a collector it writes them as OTLP
// requests, one per line, for the file receiver of collectors. It calls note with warnings for
// people. The error is one of posting or writing.
func (e Export) Write(w io.Writer, h *history.History, note func(string)) error {
	o, version := Options{Contents: e.Contents}, ""
	if e.Redactor != nil {
		o.Redact = func(text string) string { return string(e.Redactor.Redact(nil, []byte(text))) }
	}
	if h.Start != nil {
		o.Run, version = h.Start.Run, h.Start.Acpshim
	}
	spans, omitted := spansOf(h, e.GoesOn, o)
	if omitted > 0 {
		note(terminal.Count(omitted, "span is", "spans are") + " left out, because too many were open at once")
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

// spansOf returns the spans of a record in the order of their ends, and how many were omitted. Open
// spans end at the last message. If the run has not ended, they are omitted. The same record always
// gives the same spans.
func spansOf(h *history.History, goesOn bool, o Options) (spans []*otlp.Span, omitted int) {
	t := newTracer(o, func(s *otlp.Span) { spans = append(spans, s) })
	t.hasGaps = h.Missing != (record.Missing{Ended: true})
	for _, m := range h.Messages {
		t.add(m)
	}
	if !goesOn {
		t.close()
	}
	return spans, t.omitted
}
