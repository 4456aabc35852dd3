package serve

import (
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// A guard checks the token of a request.
type guard struct {
	token   [sha256.Size]byte
	failing chan struct{} // has an element for each refusal that is delayed
}

// A refusal is delayed, so that tokens cannot be tried quickly. More than maxFailing are refused at
// once.
const (
	refusalTime = time.Second
	maxFailing  = 16
)

func newGuard(token string) guard {
	return guard{sha256.Sum256([]byte(token)), make(chan struct{}, maxFailing)}
}

// knows compares a text with the token in constant time.
func (g *guard) knows(text string) bool {
	sum := sha256.Sum256([]byte(text))
	return subtle.ConstantTimeCompare(sum[:], g.token[:]) == 1
}

// protocolOf returns the WebSocket subprotocol that ends with a point and the token.
func (g *guard) protocolOf(r *http.Request) (name string, ok bool) {
	for _, header := range r.Header.Values("Sec-WebSocket-Protocol") {
		for name := range strings.SplitSeq(header, ",") {
			name = strings.TrimSpace(name)
			if i := strings.LastIndexByte(name, '.'); i > 0 && g.knows(name[i+1:]) {
				return name, true
			}
		}
	}
	return "", false
}

// hasToken reports whether a request has the token in a place that clients use.
func (g *guard) hasToken(r *http.Request) bool {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	_, inProtocol := g.protocolOf(r)
	return strings.EqualFold(scheme, "Bearer") && g.knows(strings.TrimSpace(token)) ||
		g.knows(r.Header.Get("X-Secret-Key")) || g.knows(r.URL.Query().Get("token")) || inProtocol
}

// triesToken reports whether a request has anything in the places for the token.
func triesToken(r *http.Request) bool {
	return r.Header.Get("Authorization")+r.Header.Get("X-Secret-Key")+r.URL.Query().Get("token") != "" ||
		strings.Contains(strings.Join(r.Header.Values("Sec-WebSocket-Protocol"), ","), ".")
}

// admit reports whether a request has the token. If not, it responds with an error.
func (s *Server) admit(w http.ResponseWriter, r *http.Request) bool {
	if s.guard.hasToken(r) {
		return true
	}
	select {
	case s.guard.failing <- struct{}{}:
	default:
		w.Header().Set("Retry-After", "1")
		http.Error(w, "acpshim: too many requests without the right token", http.StatusTooManyRequests)
		return false
	}
	defer func() { <-s.guard.failing }()
	text := "refused a client without a token"
	if triesToken(r) {
		text = "refused a client with a wrong token"
	}
	s.Log.Warn().Str("from", r.RemoteAddr).Msg(text)
	select {
	case <-time.After(refusalTime):
	case <-r.Context().Done():
	}
	w.Header().Set("WWW-Authenticate", "Bearer")
	http.Error(w, "acpshim: the request needs the token, as \"Authorization: Bearer TOKEN\"", http.StatusUnauthorized)
	return false
}

// isOurName reports whether a Host header names this machine. A web page can point any name at this
// machine, but not an address.
func (s *Server) isOurName(host string) bool {
	u := url.URL{Host: host}
	name := strings.ToLower(u.Hostname())
	return name == "localhost" || net.ParseIP(name) != nil || slices.Contains(s.Hosts, name) || s.HasName != nil && s.HasName(name)
}

// allowOrigin reports whether a request does not come from a web page, or from one that may
// connect. It tells the browser so.
func (s *Server) allowOrigin(w http.ResponseWriter, r *http.Request) bool {
	w.Header().Add("Vary", "Origin")
	origins := r.Header.Values("Origin")
	if len(origins) == 0 {
		return true
	}
	if len(origins) > 1 || !slices.Contains(s.Origins, strings.ToLower(origins[0])) {
		return false
	}
	w.Header().Set("Access-Control-Allow-Origin", origins[0])
	w.Header().Set("Access-Control-Expose-Headers", connectionID)
	return true
}

// preflight responds to a browser that asks what a page may send.
func preflight(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Access-Control-Allow-Methods", "GET, POST, DELETE")
	h.Set("Access-Control-Allow-Headers", strings.Join([]string{connectionID, sessionID, "Content-Type", "Authorization", "X-Secret-Key"}, ", "))
	h.Set("Access-Control-Max-Age", "600")
	if r.Header.Get("Access-Control-Request-Private-Network") == "true" {
		h.Set("Access-Control-Allow-Private-Network", "true")
	}
	w.WriteHeader(http.StatusNoContent)
}
