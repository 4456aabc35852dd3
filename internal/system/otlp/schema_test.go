package otlp

import (
	"encoding/base64"
	"encoding/hex"
	"testing"

	"go.opentelemetry.io/proto/slim/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protojson"
)

// The official module reads a request, and knows all its members.
func TestRequestIsOfTheSchema(t *testing.T) {
	trace, id := NewIDs("run", "1")
	_, parent := NewIDs("run", "2")
	span := &Span{TraceID: trace, ID: id, Parent: parent, TraceState: "a=b", Name: "x\"\x00\xff<", Kind: KindClient,
		Start: 1795366600042736946, End: 1795366600042736947, Events: []Event{{1795366600042736946, "e"}}}
	span.Add(Text("text", "t"), Text("left out", ""), Int("int", -5), Bool("bool", false), Texts("texts", "a", ""))
	span.Fail("how")
	span.Status.Message = "why"
	var data v1.TracesData
	if err := protojson.Unmarshal(NewEnvelope("v1", "run").Request([][]byte{span.JSON(), (&Span{Kind: KindInternal}).JSON()}), &data); err != nil {
		t.Fatal(err)
	}
	about := data.ResourceSpans[0]
	if a := about.Resource.Attributes; a[0].Key != "service.name" || a[0].Value.GetStringValue() != "acpshim" || a[2].Value.GetStringValue() != "run" {
		t.Errorf("the resource is %v", a)
	}
	scope := about.ScopeSpans[0]
	if scope.Scope.Name != "acpshim" || scope.Scope.Version != "v1" || len(scope.Spans) != 2 {
		t.Errorf("the scope is %v with %d spans", scope.Scope, len(scope.Spans))
	}
	got := scope.Spans[0]
	// The module takes ids for base64, which OTLP's JSON does not have.
	for what, ids := range map[string][2]string{
		"trace":  {base64.StdEncoding.EncodeToString(got.TraceId), hex.EncodeToString(trace[:])},
		"span":   {base64.StdEncoding.EncodeToString(got.SpanId), hex.EncodeToString(id[:])},
		"parent": {base64.StdEncoding.EncodeToString(got.ParentSpanId), hex.EncodeToString(parent[:])},
	} {
		if ids[0] != ids[1] {
			t.Errorf("%s is %s, want %s", what, ids[0], ids[1])
		}
	}
	if len(scope.Spans[1].ParentSpanId) != 0 {
		t.Errorf("a span without a parent has %x", scope.Spans[1].ParentSpanId)
	}
	if got.Name != "x\"\x00\ufffd<" || got.Kind != v1.Span_SPAN_KIND_CLIENT || got.TraceState != "a=b" || got.Events[0].Name != "e" ||
		got.StartTimeUnixNano != 1795366600042736946 || got.EndTimeUnixNano != 1795366600042736947 || got.Events[0].TimeUnixNano != got.StartTimeUnixNano {
		t.Errorf("the span is %v", got)
	}
	if got.Status.Code != v1.Status_STATUS_CODE_ERROR || got.Status.Message != "why" {
		t.Errorf("the status is %v", got.Status)
	}
	a := got.Attributes
	if len(a) != 5 || a[0].Value.GetStringValue() != "t" || a[1].Value.GetIntValue() != -5 || a[2].Value.GetBoolValue() ||
		len(a[3].Value.GetArrayValue().Values) != 2 || a[4].Key != "error.type" {
		t.Errorf("the attributes are %v", a)
	}
}
