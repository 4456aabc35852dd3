package listing

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"acpshim/internal/store"
)

var (
	isMessage = []byte(`{"kind":"message",`)
	isMade    = []byte(`,"stage":"out",`)
)

// messages counts the messages that peers sent, in the files of a record that does not say it
// itself. It looks only at how their lines begin, which is always the same.
func messages(files []string) (n int, err error) {
	from, err := store.Open(files...)
	if err != nil {
		return 0, err
	}
	defer from.Close()
	r := bufio.NewReaderSize(from, 64<<10)
	for begins := true; ; {
		piece, err := r.ReadSlice('\n')
		head, _, _ := bytes.Cut(piece, []byte(`,"len":`)) // what stands behind it, peers wrote
		if begins && bytes.HasPrefix(piece, isMessage) && !bytes.Contains(head, isMade) {
			n++
		}
		if begins = err == nil; !begins && !errors.Is(err, bufio.ErrBufferFull) {
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return n, err
		}
	}
}
