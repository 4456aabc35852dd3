package otlp

import (
	"bytes"
	"fmt"
	"net/url"
	"strings"
)

// An Envelope is what stands around spans in a request.
type Envelope struct{ before []byte }

// NewEnvelope returns the envelope of what a program made of a run.
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

// Request returns the body of a request with spans, each as its JSON.
func (e Envelope) Request(spans [][]byte) []byte {
	body := append(bytes.Clone(e.before), bytes.Join(spans, []byte(","))...)
	return append(body, "]}]}]}"...)
}

// ParseEndpoint reads the base URL of a collector and returns the address for traces: the path
// v1/traces below it, unless it ends so already.
func ParseEndpoint(text string) (string, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return "", fmt.Errorf("want a URL such as http://127.0.0.1:4318") // err may have a password
	case u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		return "", fmt.Errorf("want a URL such as http://127.0.0.1:4318, not %q", u.Redacted())
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return "", fmt.Errorf("want a URL without credentials, ? and #: they go into headers")
	}
	if path := strings.TrimSuffix(u.Path, "/"); !strings.HasSuffix(path, "/v1/traces") {
		u = u.JoinPath("v1/traces")
	}
	return u.String(), nil
}
