package otlp

import (
	"strings"
	"testing"
	"unicode/utf8"
)

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
