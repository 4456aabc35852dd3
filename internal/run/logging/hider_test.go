package logging

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"acpshim/filters"
	"acpshim/internal/adapters/files"

	"github.com/rs/zerolog"
)

// What an agent says may have a token in it, which is no part of a log.
func TestTextsOfAgentsAreLoggedWithoutSecrets(t *testing.T) {
	token := "gh" + "p_Zq7vB2nK4xW8mT1pZq7vB2nK4xW8mT000001"
	said := "curl -H 'Authorization: Bearer " + token + "' example.org"
	for name, logs := range map[string]func(log zerolog.Logger){
		"the title of a call":   func(log zerolog.Logger) { Events(log).Answered("rule", "allow_once", said) },
		"junk":                  func(log zerolog.Logger) { Events(log).Junk(filters.JunkPass, []byte(said+"\n"), 1) },
		"a refusal":             func(log zerolog.Logger) { Events(log).WithoutMCP(said) },
		"an error about a file": func(log zerolog.Logger) { Files(log)(files.Request{}, errors.New(said)) },
		"a title that is cut": func(log zerolog.Logger) {
			Events(log).Answered("rule", "allow_once", "curl "+strings.Repeat("x", 180)+" "+token)
		},
	} {
		var out bytes.Buffer
		logs(zerolog.New(&out))
		if strings.Contains(out.String(), token[:8]) || !strings.Contains(out.String(), "curl") {
			t.Errorf("%s: it is %s", name, out.String())
		}
	}
}
