// Package endpoint reads the addresses of collectors. It does not import HTTP, which checking a
// configuration does not need.
package endpoint

import (
	"errors"
	"net"
	"net/url"
	"strings"
)

// Parse reads the base URL of a collector and returns the address for traces. It appends v1/traces,
// unless the URL ends with that.
func Parse(text string) (string, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		return "", errors.New("want a URL such as http://127.0.0.1:4318") // the text may have a password
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return "", errors.New("want a URL without credentials, ? and #; use headers for credentials")
	}
	if path := strings.TrimSuffix(u.Path, "/"); !strings.HasSuffix(path, "/v1/traces") {
		u = u.JoinPath("v1/traces")
	}
	return u.String(), nil
}

// IsInClear reports whether requests to an address reach another machine unencrypted.
func IsInClear(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() != "localhost" && (ip == nil || !ip.IsLoopback())
}
