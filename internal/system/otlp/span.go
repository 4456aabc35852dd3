// Package otlp encodes traces as OTLP/HTTP in JSON and sends them to a collector. It has only what
// acpshim needs, because the official modules add 3 to 12 MB to a program.
package otlp

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"

	"acpshim/internal/text/runes"
)

// A TraceID identifies a trace, and a SpanID a span in it. Zero is not an id.
type (
	TraceID [16]byte
	SpanID  [8]byte
)

// MarshalText implements encoding.TextMarshaler. Ids are hexadecimal in JSON.
func (id TraceID) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, id[:]), nil }

// MarshalText implements encoding.TextMarshaler.
func (id SpanID) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, id[:]), nil }

// NewIDs returns the ids of a span, and of a trace that begins with it. They depend only on the
// names of the span.
func NewIDs(names ...string) (trace TraceID, span SpanID) {
	sum := sha256.Sum256([]byte(strings.Join(names, "\x00")))
	copy(trace[:], sum[:])
	copy(span[:], sum[len(trace):])
	return trace, span
}

// A Kind is the kind of a span.
type Kind int

const (
	KindInternal Kind = 1
	KindClient   Kind = 3
)

// A Span is an operation with a start and an end, in nanoseconds since 1970.
type Span struct {
	TraceID    TraceID     `json:"traceId"`
	ID         SpanID      `json:"spanId"`
	TraceState string      `json:"traceState,omitempty"`
	Parent     SpanID      `json:"parentSpanId,omitzero"`
	Name       string      `json:"name"`
	Kind       Kind        `json:"kind"`
	Start      int64       `json:"startTimeUnixNano,string"`
	End        int64       `json:"endTimeUnixNano,string"`
	Attributes []Attribute `json:"attributes,omitempty"`
	Events     []Event     `json:"events,omitempty"`
	Status     Status      `json:"status,omitzero"`
}

// An Event happened at a moment of a span.
type Event struct {
	Time int64  `json:"timeUnixNano,string"`
	Name string `json:"name"`
}

// A Status says whether an operation failed. The zero value says nothing.
type Status struct {
	Code    int    `json:"code,omitempty"`
	Message string `json:"message,omitempty"`
}

// Failed is the status code of a failed operation.
const Failed = 2

// An Attribute is a fact about a span or a resource.
type Attribute struct {
	Key   string `json:"key"`
	Value value  `json:"value"`
}

type value struct {
	Text *string `json:"stringValue,omitempty"`
	Int  *int64  `json:"intValue,string,omitempty"`
	Bool *bool   `json:"boolValue,omitempty"`
	List *list   `json:"arrayValue,omitempty"`
}

type list struct {
	Values []value `json:"values"`
}

// Text, Int, Bool and Texts return attributes.
func Text(key, text string) Attribute   { return Attribute{key, value{Text: &text}} }
func Int(key string, n int64) Attribute { return Attribute{key, value{Int: &n}} }
func Bool(key string, b bool) Attribute { return Attribute{key, value{Bool: &b}} }
func Texts(key string, texts ...string) Attribute {
	l := &list{}
	for _, text := range texts {
		l.Values = append(l.Values, value{Text: &text})
	}
	return Attribute{key, value{List: l}}
}

// Add adds attributes. It leaves out those with an empty text.
func (s *Span) Add(attributes ...Attribute) {
	for _, a := range attributes {
		if a.Value.Text == nil || *a.Value.Text != "" {
			s.Attributes = append(s.Attributes, a)
		}
	}
}

// Fail sets the status to failed. ErrorType is one of a few words, such as a code.
func (s *Span) Fail(errorType string) {
	s.Status.Code = Failed
	s.Add(Text("error.type", errorType))
}

// JSON returns the span as it is in a request.
func (s *Span) JSON() []byte { return encode(s) }

// encode encodes a value of this package.
func encode(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // a test encodes each type
	}
	return b
}

// Cut returns the first bytes of a text, with an ellipsis if it was longer.
func Cut(text string, bytes int) string {
	if len(text) <= bytes {
		return text
	}
	return text[:runes.Before(text, bytes)] + "…"
}
