package redact

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"strings"
)

const (
	maxSessions = 1024
	minSession  = 8   // what is shorter is as likely a word or a number as a session
	maxSession  = 256 // what is longer is no session id, and is replaced under its name only
)

// sessions are the session ids of a run.
type sessions struct {
	mac     hash.Hash
	order   []string // the oldest first
	known   map[string]bool
	lengths [maxSession + 1]int // how many of them are so long
	learned int                 // how many were learned
	met     map[string]bool     // fingerprints that stood in what was redacted
}

func newSessions(salt []byte) sessions {
	return sessions{mac: hmac.New(sha256.New, salt), known: make(map[string]bool), met: make(map[string]bool)}
}

const fingerprintPrefix = "session-"

// fingerprint stands for an id. Its last four digits are a checksum of the others:
// what was replaced once is known, and nothing can pass for it.
func (s *sessions) fingerprint(id string) string {
	digits := s.sum("id", id)[:8]
	return fingerprintPrefix + digits + s.sum("fingerprint", digits)[:4]
}

func (s *sessions) sum(what, text string) string {
	s.mac.Reset()
	s.mac.Write([]byte(what + "\x00" + text))
	return hex.EncodeToString(s.mac.Sum(nil)[:4])
}

// fingerprintEnd returns the end of the fingerprint that begins at i, or i.
func (s *sessions) fingerprintEnd(text []byte, i int) int {
	end := i + len(fingerprintPrefix) + 12
	if len(text) < end || !bytes.HasPrefix(text[i:], []byte(fingerprintPrefix)) || end < len(text) && isAlnum(text[end]) {
		return i
	}
	digits := string(text[i+len(fingerprintPrefix) : end])
	if s.sum("fingerprint", digits[:8])[:4] != digits[8:] {
		return i
	}
	if len(s.met) >= maxSessions {
		clear(s.met)
	}
	s.met[digits] = true
	return end
}

// recall learns the ids in a line whose fingerprints were met: a text may have been
// redacted before its id was known, and the others after.
func (r *Redactor) recall(line []byte) {
	if len(r.sessions.met) == 0 {
		return
	}
	for _, m := range words().FindAllSubmatchIndex(line, -1) {
		id := string(line[m[2]:m[3]])
		if strings.ContainsAny(id, "0123456789") && r.sessions.met[r.sessions.fingerprint(id)[len(fingerprintPrefix):]] {
			r.learn(id)
		}
	}
}

// words match what may be an id, without the letter of an escape before it.
var words = lazily(`(?:\\[a-z])?([\w-]{8,256})`)

// learn notes the id of a session, to be found wherever it stands.
func (r *Redactor) learn(id string) {
	s := &r.sessions
	if s.known[id] || len(id) < minSession || len(id) > maxSession {
		return
	}
	s.known[id] = true
	s.lengths[len(id)]++
	s.learned++
	if s.order = append(s.order, id); len(s.order) > maxSessions {
		delete(s.known, s.order[0])
		s.lengths[len(s.order[0])]--
		s.order = append(s.order[:0], s.order[1:]...)
	}
	r.grams.add(lookSession, id)
}

// session replaces the longest known id that begins at i. A short one counts only as a
// word of its own.
func (s *scanner) session(i int) int {
	for n := min(maxSession, len(s.text)-i); n >= minSession; n-- {
		if s.sessions.lengths[n] > 0 && s.sessions.known[string(s.text[i:i+n])] &&
			(n >= 16 || starts(s.text, i) && (i+n == len(s.text) || !isAlnum(s.text[i+n]))) {
			return s.make(edit{i, i + n, Session, s.sessions.fingerprint(string(s.text[i : i+n])), ""})
		}
	}
	return i
}
