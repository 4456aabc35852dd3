// Package otlp writes traces as OTLP/HTTP has them in JSON, and sends them to a collector. It has
// what acpshim needs of the format: the official modules add 3 to 12 MB to a program.
package otlp

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// A TraceID names a trace, a SpanID a span in it. The zero value is none.
type (
	TraceID [16]byte
	SpanID  [8]byte
)

// MarshalText implements encoding.TextMarshaler: ids are hexadecimal in OTLP's JSON.
func (id TraceID) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, id[:]), nil }

// MarshalText implements encoding.TextMarshaler.
func (id SpanID) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, id[:]), nil }

// NewIDs returns the ids of a span and of a trace that begins with it. They depend on what names
// the span, and on nothing else.
func NewIDs(names ...string) (trace TraceID, span SpanID) {
	sum := sha256.Sum256([]byte(strings.Join(names, "\x00")))
	copy(trace[:], sum[:])
	copy(span[:], sum[len(trace):])
	return trace, span
}

// A Kind says which side of a call a span is.
type Kind int

const (
	KindInternal Kind = 1
	KindClient   Kind = 3
)

// A Span is something that took time. Times are nanoseconds since 1970.
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

// An Event is a moment of a span.
type Event struct {
	Time int64  `json:"timeUnixNano,string"`
	Name string `json:"name"`
}

// A Status says whether something failed. The zero value does not say.
type Status struct {
	Code    int    `json:"code,omitempty"`
	Message string `json:"message,omitempty"`
}

// Failed is the code of what failed.
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

// Text, Int, Bool and Texts make attributes.
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

// Add adds attributes, those with an empty text left out.
func (s *Span) Add(attributes ...Attribute) {
	for _, a := range attributes {
		if a.Value.Text == nil || *a.Value.Text != "" {
			s.Attributes = append(s.Attributes, a)
		}
	}
}

// Fail says that what the span is about failed, and how: a word of few, such as a code.
func (s *Span) Fail(how string) {
	s.Status.Code = Failed
	s.Add(Text("error.type", how))
}

// JSON is the span as it stands in a request.
func (s *Span) JSON() []byte { return encode(s) }

// encode encodes values of this package, which can all be.
func encode(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // a test has each type
	}
	return b
}

// Cut is the beginning of a text that has at most so many bytes, and a sign that it was longer.
func Cut(text string, bytes int) string {
	if len(text) <= bytes {
		return text
	}
	for bytes > 0 && !utf8.RuneStart(text[bytes]) {
		bytes--
	}
	return text[:bytes] + "…"
}
