package otlp

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// Errors do not have the values of headers that a collector repeats, in any spelling.
func TestErrorsHaveNoHeaders(t *testing.T) {
	const key = "never/to/be/seen=="
	for _, repeated := range []string{key, `never\/to\/be\/seen\u003d\u003d`, `never/to/be/seen\u003D=`} {
		for _, test := range []struct {
			status int
			body   string
		}{
			{http.StatusUnauthorized, `{"message":"no such key: ` + repeated + `"}`},
			{http.StatusUnauthorized, `{"error":{"reason":"no such key: ` + repeated + `"}}`},
			{http.StatusUnauthorized, "no such key: " + key},
			{http.StatusOK, `{"partialSuccess":{"rejectedSpans":1,"errorMessage":"Basic ` + repeated + `"}}`},
		} {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(test.status)
				w.Write([]byte(test.body))
			}))
			defer server.Close()
			c := Client{URL: server.URL, Headers: http.Header{"Authorization": {"Basic " + key}}}
			if err := c.Post(t.Context(), nil); err == nil || strings.Contains(err.Error(), "seen") || !strings.Contains(err.Error(), "[redacted:header]") {
				t.Errorf("%d, %s: %v", test.status, test.body, err)
			}
		}
	}
}

// A header value that is a part of a response does not break reading it.
func TestAHeaderLikeANumber(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Write([]byte(`{"partialSuccess":{"rejectedSpans":1000,"errorMessage":"too many"}}`))
	}))
	defer server.Close()
	c := Client{URL: server.URL, Headers: http.Header{"X-Tenant": {"1000"}}}
	if err := c.Post(t.Context(), nil); err == nil || err.Error() != "the collector rejected spans: 1000: too many" {
		t.Error(err)
	}
}
