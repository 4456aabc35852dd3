package telemetry

import (
	"context"
	"io"

	"acpshim/internal/history"
	"acpshim/internal/history/export"
	"acpshim/internal/otlp"
	"acpshim/internal/record"
	"acpshim/internal/terminal"
)

// An Export is of a record's traces.
type Export struct {
	Contents  bool         // see Options
	GoesOn    bool         // the run: what has not ended in it is left out
	Collector *otlp.Client // gets the traces; nil has them written
}

// Write writes the traces of a record in requests of OTLP, one a line, as the file receiver of
// collectors reads them; or posts them. Note is told what to say about that. The error is one of
// open, of reading, of writing or of the collector.
func (e Export) Write(w io.Writer, open func() (io.ReadCloser, error), from export.Options, note func(string)) error {
	h, err := export.Read(open, from)
	if err != nil {
		return err
	}
	o, version := Options{Contents: e.Contents}, ""
	if from.Redactor != nil {
		o.Redact = func(text string) string { return string(from.Redactor.Redact(nil, []byte(text))) }
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

// spansOf returns the spans of a record, in the order in which they ended, and how many were left
// out. What has not ended does at the last message, or is left out if the run goes on. The same
// record has the same spans each time.
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
