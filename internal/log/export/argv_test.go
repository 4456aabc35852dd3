package export

import (
	"encoding/json"
	"strings"
	"testing"
)

// Elements of an argv that are not strings are left out, and so are the secrets of flags.
func TestArgvStaysJSON(t *testing.T) {
	const text = `{"kind":"start","schema":1,"argv":[1,"agent",null,"--api-key","hunter",{"a":2}]}` + "\n"
	got := exported(t, text, Options{Redactor: redactor(t)})["jsonl"]
	if !json.Valid([]byte(strings.TrimSpace(got))) || !strings.Contains(got, `"argv":["agent","--api-key","[redacted:key]"]`) {
		t.Errorf("got %s", got)
	}
}
