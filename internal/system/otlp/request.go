package otlp

import (
	"bytes"
	"fmt"
)

// An Envelope is the JSON around the spans of a request.
type Envelope struct{ before []byte }

// NewEnvelope returns the envelope for the spans of a run.
func NewEnvelope(version, run string) Envelope {
	type resource struct {
		Attributes []Attribute `json:"attributes"`
	}
	type scope struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	}
	about := resource{[]Attribute{
		Text("service.name", "acpshim"), Text("service.version", version), Text("service.instance.id", run),
	}}
	return Envelope{fmt.Appendf(nil, `{"resourceSpans":[{"resource":%s,"scopeSpans":[{"scope":%s,"spans":[`,
		encode(about), encode(scope{"acpshim", version}))}
}

// Request returns the body of a request with spans in JSON.
func (e Envelope) Request(spans [][]byte) []byte {
	body := append(bytes.Clone(e.before), bytes.Join(spans, []byte(","))...)
	return append(body, "]}]}]}"...)
}
