package config

import (
	"fmt"
	"net/url"
	"strings"
)

// checkOrigin checks the origin of a web page, as browsers spell it.
func checkOrigin(text string) error {
	u, err := url.Parse(text)
	if err != nil || u.Scheme == "" || u.Host == "" || text != u.Scheme+"://"+u.Host || text != strings.ToLower(text) {
		return fmt.Errorf(`want origins such as "https://app.example.org" in quotes, in lower case, not %s`, describe(text))
	}
	return nil
}

// checkHost checks the name of a host, without a port.
func checkHost(text string) error {
	if text == "" || strings.ContainsAny(text, ":/ ") || text != strings.ToLower(text) {
		return fmt.Errorf(`want names of hosts such as "agents.example.org" in quotes, in lower case, without a port, not %s`, describe(text))
	}
	return nil
}
