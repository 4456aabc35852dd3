package remote

import (
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"

	"golang.org/x/net/http/httpguts"
)

// variable matches a reference to an environment variable.
var variable = regexp.MustCompile(`\$\{[A-Za-z_][A-Za-z0-9_]*\}`)

// AddHeaders adds lines such as "Name: value" to a header. In values, lookup expands ${VAR}. Empty
// lines and lines that begin with # are skipped. Errors never contain a value, because it may be a
// secret.
func AddHeaders(to http.Header, text string, lookup func(string) (string, bool)) error {
	n, text := 0, strings.TrimPrefix(text, "\ufeff")
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
		if strings.EqualFold(name, "Host") {
			return fmt.Errorf("line %d: Host is that of the URL", n)
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

// SetToken sets a bearer token, unless the header has an Authorization.
func SetToken(to http.Header, token string) error {
	switch {
	case token == "" || to.Get("Authorization") != "":
	case !httpguts.ValidHeaderFieldValue(token):
		return errors.New("the token has a control character")
	default:
		to.Set("Authorization", "Bearer "+token)
	}
	return nil
}
