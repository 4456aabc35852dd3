package recording

import (
	"strings"
	"testing"

	"acpshim/internal/setup/config"
)

// Headers may have a key. They are sent to another machine only over https, unless configured.
func TestHeadersDoNotGoInClear(t *testing.T) {
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer%20KEY")
	c := config.Default()
	for address, want := range map[string]bool{"http://127.0.0.1:4318": true, "https://example.com": true, "http://example.com": false} {
		if _, err := NewCollector(c, address); (err == nil) != want || err != nil && !strings.Contains(err.Error(), "telemetry.insecure") {
			t.Errorf("%s: %v", address, err)
		}
	}
	c.Telemetry.Insecure = true
	if _, err := NewCollector(c, "http://example.com"); err != nil {
		t.Error(err)
	}
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "")
	c.Telemetry.Insecure = false
	if _, err := NewCollector(c, "http://example.com"); err != nil {
		t.Errorf("without headers: %v", err)
	}
}
