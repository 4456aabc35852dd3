package otlp

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"golang.org/x/net/http/httpguts"
)

// ParseHeaders reads headers in the format of OTEL_EXPORTER_OTLP_HEADERS: NAME=VALUE,NAME=VALUE,
// with % escapes in values. Errors do not repeat values, which may be secret.
func ParseHeaders(text string) (http.Header, error) {
	headers := http.Header{}
	for i, pair := range strings.Split(text, ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		name, escaped, found := strings.Cut(pair, "=")
		name = strings.TrimSpace(name)
		value, err := url.PathUnescape(strings.TrimSpace(escaped))
		if !found || err != nil || !httpguts.ValidHeaderFieldName(name) || !httpguts.ValidHeaderFieldValue(value) {
			return nil, fmt.Errorf("header %d of the list: want NAME=VALUE, with %% escapes in the value", i+1)
		}
		headers.Set(name, value)
	}
	return headers, nil
}
