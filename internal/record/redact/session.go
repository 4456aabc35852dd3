package redact

import (
	"bytes"
	"encoding/hex"
	"hash"
	"slices"
	"sort"
)

const (
	maxSessions = 1024
	minSession  = 8   // shorter ids may just as well be words or numbers
	maxSession  = 256 // longer ids are replaced only next to their name
)

// sessions has the session ids of a run.
type sessions struct {
	grams         *grams // of the Redactor
	mac           hash.Hash
	order, sorted []string        // the ids by age, the oldest first, and by their bytes
	learned       int             // the number of ids, including forgotten ones
	sums          map[string]bool // sums in fingerprints that the texts had; their ids may be unknown
}

const fingerprintPrefix = "session-"

// fingerprint returns the text that replaces an id. Its last four digits are a checksum of the
// others, so that no other text is mistaken for a fingerprint.
func (s *sessions) fingerprint(id string) string { return s.addChecksum(s.sum("id", id)) }

// addChecksum returns the fingerprint with a sum.
func (s *sessions) addChecksum(sum string) string {
	return fingerprintPrefix + sum + s.sum("fingerprint", sum)[:4]
}

// sum returns eight hexadecimal digits. The salt keys them.
func (s *sessions) sum(what, text string) string {
	s.mac.Reset()
	s.mac.Write([]byte(what + "\x00" + text))
	return hex.EncodeToString(s.mac.Sum(nil)[:4])
}

// fingerprintEnd returns the end of the fingerprint that begins at i, or i if no fingerprint begins
// there. It remembers the fingerprint.
func (s *sessions) fingerprintEnd(text []byte, i int) int {
	end := i + len(fingerprintPrefix) + 12
	if end > len(text) || end < len(text) && isAlnum(text[end]) || !bytes.HasPrefix(text[i:], []byte(fingerprintPrefix)) {
		return i
	}
	sum := string(text[end-12 : end-4])
	if s.addChecksum(sum) != string(text[i:end]) {
		return i
	}
	if len(s.sums) >= maxSessions {
		clear(s.sums)
	}
	s.sums[sum] = true
	return end
}

// learnByFingerprint learns the ids in a line whose fingerprints occurred before. A text may have
// been redacted before its id was learned, and later texts were not.
func (s *sessions) learnByFingerprint(line []byte) {
	if len(s.sums) == 0 {
		return
	}
	for word := range bytes.FieldsFuncSeq(line, func(c rune) bool { return c >= 0x80 || !isWord(byte(c)) }) {
		for _, id := range [][]byte{word, word[1:]} { // the second without the letter of an escape
			if len(id) >= minSession && len(id) <= maxSession && bytes.ContainsAny(id, digits) && s.sums[s.sum("id", string(id))] {
				s.learn(string(id))
			}
		}
	}
}

// learn remembers a session id. From then on it is replaced wherever it occurs.
func (s *sessions) learn(id string) {
	at, known := slices.BinarySearch(s.sorted, id)
	if known || len(id) < minSession || len(id) > maxSession || s.fingerprintEnd([]byte(id), 0) > 0 {
		return
	}
	s.sorted, s.order = slices.Insert(s.sorted, at, id), append(s.order, id)
	s.learned++
	if len(s.order) > maxSessions {
		at, _ = slices.BinarySearch(s.sorted, s.order[0])
		s.sorted, s.order = slices.Delete(s.sorted, at, at+1), s.order[1:]
	}
	s.grams.add(sessionBit, id)
}

// idEnd returns the end of the longest known id that begins at i, or i if no known id begins there.
// A short id counts only as a whole word.
func (s *sessions) idEnd(text []byte, i int) int {
	found, ids := i, s.sorted
	for n := 0; len(ids) > 0 && i+n < len(text); n++ { // all ids have the first n bytes
		c, size := text[i+n], n+1
		ids = ids[sort.Search(len(ids), func(k int) bool { return len(ids[k]) > n && ids[k][n] >= c }):]
		ids = ids[:sort.Search(len(ids), func(k int) bool { return ids[k][n] > c })]
		if len(ids) > 0 && len(ids[0]) == size && (size >= 16 || isWordStart(text, i) && (i+size == len(text) || !isAlnum(text[i+size]))) {
			found = i + size
		}
	}
	return found
}

func (s *scanner) readSession(i int) int {
	if end := s.idEnd(s.text, i); end > i {
		return s.addEdit(edit{start: i, end: end, kind: Session, with: s.fingerprint(string(s.text[i:end]))})
	}
	return i
}
