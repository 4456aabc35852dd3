package remote

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"

	"golang.org/x/net/http/httpguts"
)

// variable is a use of an environment variable.
var variable = regexp.MustCompile(`\$\{[A-Za-z_][A-Za-z0-9_]*\}`)

// AddHeaders reads lines such as "Name: value" into a header. In values ${VAR} is expanded by
// lookup. Empty lines and those that begin with # say nothing. Errors name no value, as that may be
// a secret.
func AddHeaders(to http.Header, text string, lookup func(string) (string, bool)) error {
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		name, value, ok := strings.Cut(line, ":")
		if !ok || !httpguts.ValidHeaderFieldName(name) {
			return fmt.Errorf("line %d: want \"Name: value\"", n)
		}
		var missing string
		value = variable.ReplaceAllStringFunc(strings.TrimSpace(value), func(use string) string {
			name := use[2 : len(use)-1]
			text, ok := lookup(name)
			if !ok || text == "" {
				missing = name
			}
			return strings.TrimSpace(text)
		})
		switch {
		case missing != "":
			return fmt.Errorf("line %d: the environment variable %q is not set", n, missing)
		case !httpguts.ValidHeaderFieldValue(value):
			return fmt.Errorf("line %d: the value of %s has a control character", n, name)
		}
		to.Add(name, value)
	}
	return nil
}
