package redact

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"slices"
	"sort"
)

const (
	maxSessions = 1024
	minSession  = 8   // what is shorter is as likely a word or a number as a session
	maxSession  = 256 // what is longer is no session id, and is replaced under its name only
)

// sessions are the session ids of a run.
type sessions struct {
	mac           hash.Hash
	order, sorted [][]byte          // the oldest first, and by their bytes
	learned       int               // how many were learned
	met           map[string]bool   // fingerprints that stood in what was redacted
	made          map[string]string // the latest fingerprints, by what they stand for
}

func newSessions(salt []byte) sessions {
	return sessions{mac: hmac.New(sha256.New, salt), made: make(map[string]string), met: make(map[string]bool)}
}

const fingerprintPrefix = "session-"

// fingerprint stands for an id. Its last four digits are a checksum of the others:
// what was replaced once is known, and nothing can pass for it.
func (s *sessions) fingerprint(id string) string {
	digits := s.sum("id", id)[:8]
	return fingerprintPrefix + digits + s.sum("fingerprint", digits)[:4]
}

func (s *sessions) sum(what, text string) string {
	text = what + "\x00" + text
	if sum, ok := s.made[text]; ok {
		return sum
	}
	s.mac.Reset()
	s.mac.Write([]byte(text))
	sum := hex.EncodeToString(s.mac.Sum(nil)[:4])
	if len(s.made) >= 4*maxSessions {
		clear(s.made)
	}
	s.made[text] = sum
	return sum
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
	for i := 0; i < len(line) && len(r.sessions.met) > 0; i++ {
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
	if r.sessions.met[r.sessions.fingerprint(string(word))[len(fingerprintPrefix):]] {
		r.learn(string(word))
	}
}

// learn notes the id of a session, to be found wherever it stands.
func (r *Redactor) learn(id string) {
	s := &r.sessions
	at, known := slices.BinarySearchFunc(s.sorted, []byte(id), bytes.Compare)
	if known || len(id) < minSession || len(id) > maxSession {
		return
	}
	s.sorted = slices.Insert(s.sorted, at, []byte(id))
	s.order = append(s.order, s.sorted[at])
	s.learned++
	if len(s.order) > maxSessions {
		oldest, _ := slices.BinarySearchFunc(s.sorted, s.order[0], bytes.Compare)
		s.sorted = slices.Delete(s.sorted, oldest, oldest+1)
		s.order = append(s.order[:0], s.order[1:]...)
	}
	r.grams.add(id, lookSession)
}

// end returns the end of the longest known id that begins at i, or i. A short id
// counts only as a word of its own.
func (s *sessions) end(text []byte, i int) int {
	found, ids := i, s.sorted
	for n := 0; len(ids) > 0 && i+n < len(text); n++ { // all ids have the first n bytes
		c := text[i+n]
		ids = ids[sort.Search(len(ids), func(k int) bool { return len(ids[k]) > n && ids[k][n] >= c }):]
		ids = ids[:sort.Search(len(ids), func(k int) bool { return ids[k][n] > c })]
		if len(ids) > 0 && len(ids[0]) == n+1 && (n >= 15 || starts(text, i) && (i+n+1 == len(text) || !isAlnum(text[i+n+1]))) {
			found = i + n + 1
		}
	}
	return found
}
