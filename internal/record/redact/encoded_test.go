package redact

import (
	"encoding/base64"
	"strings"
	"testing"
)

// The protocol's base64 is decoded, and encoded again without secrets.
func TestEncodedSecretsAreHidden(t *testing.T) {
	standard, url := base64.StdEncoding, base64.RawURLEncoding
	said := "$ env\nAPI_SECRET=" + secretWord + "\n\xff?>?> " + gitHubToken
	without := "$ env\nAPI_SECRET=[redacted:env]\n\xff?>?> [redacted:token]"
	for name, around := range map[string]string{
		"a chunk":                        `{"sessionUpdate":"terminal_output_chunk","terminalId":"t","data":"DATA"}`,
		"a snapshot":                     `{"sessionUpdate":"terminal_update","terminalId":"t","output":{"data":"DATA"}}`,
		"an image":                       `{"type":"image","data":"DATA","mimeType":"image/svg+xml"}`,
		"audio":                          `{"data":"DATA","mimeType":"audio/wav","type":"audio"}`,
		"a video":                        `{"type":"resource","resource":{"uri":"x","mimeType":"video/mp4","blob":"DATA"}}`,
		"an icon":                        `{"name":"x","icons":[{"src":"data:image/svg+xml;base64,DATA","mimeType":"image/svg+xml"}]}`,
		"a link":                         `{"type":"resource_link","uri":"data:text/plain;charset=utf-8;base64,DATA"}`,
		"a resource":                     `{"type":"resource","resource":{"uri":"file:///x","blob":"DATA"}}`,
		"a resource with a type":         `{"resource":{"blob":"DATA","mimeType":"text/plain"}}`,
		"after another member, the same": `{"data":"","data":"DATA","data":7}`,
		"both names":                     `{"data":"DATA","blob":"x"}`,
	} {
		for _, encoding := range []*base64.Encoding{standard, url} {
			for _, quoted := range []bool{false, true} { // in a message that is a string of another message
				in := strings.Replace(around, "DATA", encoding.EncodeToString([]byte(said)), 1)
				want := strings.Replace(around, "DATA", encoding.EncodeToString([]byte(without)), 1)
				if quoted {
					in, want = chunk(in), chunk(want)
				}
				r := newTest(t)
				if got := string(r.Redact(nil, []byte(in))); got != want {
					t.Errorf("%s: %s is\n%s, want\n%s", name, in, got, want)
				}
				if kinds := r.Tally().Kinds; kinds[Env] != 1 || kinds[Token] != 1 {
					t.Errorf("%s: the markers are %v", name, kinds)
				}
				if again := string(r.Redact(nil, []byte(want))); again != want {
					t.Errorf("%s: redacting again changes it: %s", name, again)
				}
			}
		}
	}
}

// Base64 without a secret stays, and so does text that only looks like base64.
func TestOtherEncodedThingsStay(t *testing.T) {
	data := base64.StdEncoding.EncodeToString([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR nothing"))
	for _, line := range []string{
		`{"type":"image","data":"` + data + `"}`,
		`{"src":"data:image/png;base64,` + data + `"}`, `{"src":"data:text/plain,a%20b"}`, `{"text":"data:;base64,?"}`,
		`{"data":"password","blob":"a b"}`,
		`{"data":"` + base64.StdEncoding.EncodeToString([]byte("nothing secret")) + `"}`,
	} {
		r := newTest(t)
		if got := string(r.Redact(nil, []byte(line))); got != line {
			t.Errorf("%s is\n%s", line, got)
		}
	}
}

// A session id that occurs only in a command's output is learned.
func TestEncodedIDsAreLearned(t *testing.T) {
	r := newTest(t)
	r.Redact(nil, []byte(`{"data":"`+base64.StdEncoding.EncodeToString([]byte(`{"sessionId":"`+sessionUUID+`"}`))+`"}`))
	if got := string(r.Redact(nil, []byte("/x/"+sessionUUID))); strings.Contains(got, sessionUUID) {
		t.Errorf("the id is still in %s", got)
	}
}
