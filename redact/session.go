package redact

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"slices"
)

const (
	maxSessions = 1024
	// What is shorter is as likely a word or a number as a session.
	minSession = 8
	// What is longer is no session id, and is replaced under its name only.
	maxSession = 256
)

// sessions are the session ids of a run.
type sessions struct {
	salt    []byte
	order   [][]byte // the oldest first
	sorted  []session
	begin   triggers        // how ids begin
	learned int             // how many were learned
	met     map[string]bool // fingerprints that stood in what was redacted
}

// A session is an id, with the longest other one that it begins with.
type session struct {
	id     []byte
	prefix int // in sorted, -1 for none
}

func (s session) compare(id []byte) int { return bytes.Compare(s.id, id) }

const fingerprintPrefix = "session-"

// fingerprint stands for an id. Its last four digits are a checksum of the others:
// what was replaced once is known, and nothing can pass for it.
func (s *sessions) fingerprint(id string) string {
	digits := s.sum("id", id)[:8]
	return fingerprintPrefix + digits + s.sum("fingerprint", digits)[:4]
}

func (s *sessions) sum(what, text string) string {
	h := hmac.New(sha256.New, s.salt)
	h.Write([]byte(what + "\x00" + text))
	return hex.EncodeToString(h.Sum(nil))
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
	s.meet(digits)
	return end
}

// meet notes a fingerprint that stands for an id which is not known.
func (s *sessions) meet(digits string) {
	if s.met == nil || len(s.met) >= maxSessions {
		s.met = make(map[string]bool)
	}
	s.met[digits] = true
}

// recall learns the ids in a line whose fingerprints were met: a text may have been
// redacted before its id was known, and the others after.
func (r *Redactor) recall(line []byte) {
	if len(r.sessions.met) == 0 {
		return
	}
	for i := 0; i < len(line); i++ {
		start := i
		i = wordEnd(line, i)
		r.recallWord(line[start:i])
		if start > 0 && line[start-1] == '\\' && start < i { // the letter of an escape
			r.recallWord(line[start+1 : i])
		}
	}
}

func (r *Redactor) recallWord(word []byte) {
	if len(word) < minSession || len(word) > maxSession || !bytes.ContainsAny(word, "0123456789") {
		return
	}
	fingerprint := r.sessions.fingerprint(string(word))
	if r.sessions.met[fingerprint[len(fingerprintPrefix):]] {
		r.learn(string(word))
	}
}

// add notes an id, and reports whether it is new.
func (s *sessions) add(id string) bool {
	if len(id) < minSession || len(id) > maxSession {
		return false
	}
	at, known := slices.BinarySearchFunc(s.sorted, []byte(id), session.compare)
	if known {
		return false
	}
	s.sorted = slices.Insert(s.sorted, at, session{id: []byte(id)})
	s.order = append(s.order, s.sorted[at].id)
	s.learned++
	if len(s.order) > maxSessions {
		oldest, _ := slices.BinarySearchFunc(s.sorted, s.order[0], session.compare)
		s.sorted = slices.Delete(s.sorted, oldest, oldest+1)
		s.order = append(s.order[:0], s.order[1:]...)
	}
	for i := range s.sorted {
		p := i - 1
		for p >= 0 && !bytes.HasPrefix(s.sorted[i].id, s.sorted[p].id) {
			p = s.sorted[p].prefix
		}
		s.sorted[i].prefix = p
	}
	return true
}

// learn notes the id of a session, to be found wherever it stands.
func (r *Redactor) learn(id string) {
	if r.sessions.add(id) {
		r.sessions.begin.add(id[0], id[1])
		r.triggers.add(id[0], id[1])
	}
}

// end returns the end of the longest known id that begins at i, or i. A short id
// counts only as a word of its own.
func (s *sessions) end(text []byte, i int) int {
	if !s.begin.has(text[i], text[i+1]) {
		return i
	}
	rest := text[i:min(len(text), i+maxSession)]
	at, found := slices.BinarySearchFunc(s.sorted, rest, session.compare)
	if !found {
		at--
	}
	if at < 0 {
		return i
	}
	common := 0
	for id := s.sorted[at].id; common < min(len(id), len(rest)) && id[common] == rest[common]; {
		common++
	}
	for ; at >= 0; at = s.sorted[at].prefix {
		n := len(s.sorted[at].id)
		if n > common {
			continue
		}
		if n >= 16 || starts(text, i) && (i+n == len(text) || !isAlnum(text[i+n])) {
			return i + n
		}
	}
	return i
}
