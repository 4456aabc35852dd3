package endpoint

import "testing"

func TestIsInClear(t *testing.T) {
	for address, want := range map[string]bool{
		"http://127.0.0.1:4318/v1/traces": false,
		"http://[::1]:4318/v1/traces":     false,
		"http://localhost/v1/traces":      false,
		"https://example.com/v1/traces":   false,
		"http://example.com/v1/traces":    true,
		"http://10.0.0.1/v1/traces":       true,
		"http://localhost.example.com/":   true,
	} {
		if got := IsInClear(address); got != want {
			t.Errorf("%s: %v", address, got)
		}
	}
}
