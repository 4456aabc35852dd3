package record

import (
	"crypto/sha256"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// FileRead records the text of a plan file, unless it is the same as the last one of that file. It
// never waits and never fails.
func (r *Recorder) FileRead(f File) {
	if !r.texts.isNew(f) {
		return
	}
	b, err := json.Marshal(f, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		panic(err) // a test encodes the type
	}
	r.queue.put(streamFile, append(b, '\n'))
}

// lastTexts has the digest of the last text of each plan file, by the digest of its path.
type lastTexts struct {
	mu      sync.Mutex
	digests map[[sha256.Size]byte][sha256.Size]byte
}

// maxTexts is the number of files at which lastTexts starts again.
const maxTexts = 1 << 10

// isNew notes a text and reports whether it differs from the last one of the file.
func (l *lastTexts) isNew(f File) bool {
	path, text := sha256.Sum256([]byte(f.Path)), sha256.Sum256([]byte(f.Text))
	if f.Busy {
		text = [sha256.Size]byte{} // which is not the digest of any text
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if last, ok := l.digests[path]; ok && last == text {
		return false
	}
	if l.digests == nil || len(l.digests) >= maxTexts {
		l.digests = map[[sha256.Size]byte][sha256.Size]byte{}
	}
	l.digests[path] = text
	return true
}
