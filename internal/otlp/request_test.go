package otlp

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestParseEndpoint(t *testing.T) {
	for text, want := range map[string]string{
		"http://127.0.0.1:4318":                  "http://127.0.0.1:4318/v1/traces",
		"https://c.example/":                     "https://c.example/v1/traces",
		"https://c.example/otlp":                 "https://c.example/otlp/v1/traces",
		"https://c.example/otlp/":                "https://c.example/otlp/v1/traces",
		"https://c.example/api/public/v1/traces": "https://c.example/api/public/v1/traces",
		"http://[::1]:4318":                      "http://[::1]:4318/v1/traces",
	} {
		if got, err := ParseEndpoint(text); err != nil || got != want {
			t.Errorf("%s is %s, %v; want %s", text, got, err, want)
		}
	}
	for _, text := range []string{"", "127.0.0.1:4318", "localhost:4318", "ftp://x", "http://", "http://:4318", "unix:///x",
		"https://me:s3cret@c.example", "https://c.example?key=s3cret", "https://c.example#s3cret", "https://me:s3cret@c.example:x"} {
		if got, err := ParseEndpoint(text); err == nil || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s is %s, %v", text, got, err)
		}
	}
}

func TestParseHeaders(t *testing.T) {
	h, err := ParseHeaders(" authorization = Basic%20YTpi , x-key=a=b,,")
	if err != nil || len(h) != 2 || h.Get("Authorization") != "Basic YTpi" || h.Get("X-Key") != "a=b" {
		t.Errorf("%v, %v", h, err)
	}
	for _, text := range []string{"s3cret", "=s3cret", "a b=s3cret", "a=s3cret%0d%0aHost: x", "a=s3cret%zz", "ä=s3cret"} {
		if h, err := ParseHeaders("a=b," + text); err == nil || strings.Contains(err.Error(), "s3cret") || !strings.Contains(err.Error(), "header 2") {
			t.Errorf("%q: %v, %v", text, h, err)
		}
	}
}

func TestCut(t *testing.T) {
	for i := range 8 {
		if got := Cut("aäöü", i); !utf8.ValidString(got) || len(got) > i+len("…") {
			t.Errorf("cut at %d is %q", i, got)
		}
	}
	if got := Cut("aäöü", 7); got != "aäöü" {
		t.Errorf("uncut is %q", got)
	}
}
