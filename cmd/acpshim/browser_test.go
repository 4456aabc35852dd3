package main

import (
	"slices"
	"strings"
	"testing"
)

func TestBrowserCommand(t *testing.T) {
	for _, test := range []struct{ os, environ, programs, want string }{
		{"linux", "", "xdg-open", ""},
		{"linux", "DISPLAY=:0", "xdg-open", "xdg-open /r.html"},
		{"freebsd", "WAYLAND_DISPLAY=w", "xdg-open", "xdg-open /r.html"},
		{"linux", "DISPLAY=:0", "", ""},
		{"linux", "BROWSER=w3m", "w3m", "w3m /r.html"},
		{"linux", "BROWSER=w3m", "", ""},
		{"linux", "BROWSER=gone:w3m -T text/html %s -v:lynx", "w3m lynx", "w3m -T text/html /r.html -v"},
		{"linux", "BROWSER=browse --url=%s", "browse", "browse --url=/r.html"},
		{"linux", "BROWSER=: DISPLAY=:0", "xdg-open", "xdg-open /r.html"},
		{"darwin", "", "", "open /r.html"},
		{"darwin", "BROWSER=w3m", "w3m", "w3m /r.html"},
		{"windows", "", "", "rundll32 url.dll,FileProtocolHandler /r.html"},
	} {
		m := desktop{os: test.os,
			getenv: func(name string) string {
				_, value, _ := strings.Cut(test.environ, name+"=")
				if name != "BROWSER" || strings.Contains(value, "DISPLAY") {
					value, _, _ = strings.Cut(value, " ")
				}
				return value
			},
			has: func(program string) bool { return slices.Contains(strings.Fields(test.programs), program) },
		}
		if got := strings.Join(m.command("/r.html"), " "); got != test.want {
			t.Errorf("%s with %q: %q, want %q", test.os, test.environ, got, test.want)
		}
	}
}
