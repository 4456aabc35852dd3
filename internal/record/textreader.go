package record

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// maxRecord is the longest line of a record, in bytes: one of the largest record.max_line, in
// base64, and its other members.
const maxRecord = 384 << 20

// ErrNoRecord is the error of reading a file that is not a record, and may be endless.
var ErrNoRecord = errors.New("not a record: a line is longer than 384 MiB")

// A TextReader reads the lines of a record as they are. It skips those that do not begin with "{",
// and lines of more than 64 KiB that do not begin with {"kind":" as acpshim writes them. It does
// not keep what it skips, so that a file that is not a record takes no memory.
type TextReader struct {
	// Skipped is the number of lines so far that were skipped.
	Skipped int

	r    *bufio.Reader
	most int // bytes of a line that are kept
	line []byte
}

const bufferSize = 64 << 10

// NewTextReader returns a TextReader of the text of one or more files.
func NewTextReader(r io.Reader) *TextReader {
	return &TextReader{r: bufio.NewReaderSize(r, bufferSize), most: maxRecord + bufferSize}
}

// NewHeadReader returns a TextReader that keeps only the first 64 KiB of each line, and no newline
// of a longer one.
func NewHeadReader(r io.Reader) *TextReader {
	return &TextReader{r: bufio.NewReaderSize(r, bufferSize), most: bufferSize}
}

// Next returns the next line, with its newline. The last line has none if a process was killed
// while it wrote. The line is valid until the next call. The error is io.EOF at the end,
// ErrNoRecord, or one of reading.
func (t *TextReader) Next() (line []byte, err error) {
	for {
		size, err := t.read()
		switch {
		case size > maxRecord:
			return nil, ErrNoRecord
		case err != nil && !(errors.Is(err, io.EOF) && size > 0):
			return nil, err
		case len(t.line) > 0:
			return t.line, nil
		}
		t.Skipped++
	}
}

// read reads a line, and keeps it if it may be one of a record. It reads little more than the
// longest one.
func (t *TextReader) read() (size int, err error) {
	t.line = t.line[:0]
	for err = bufio.ErrBufferFull; errors.Is(err, bufio.ErrBufferFull) && size <= maxRecord; {
		var piece []byte
		piece, err = t.r.ReadSlice('\n')
		isBegun := size == 0 && bytes.HasPrefix(piece, []byte("{"))
		if errors.Is(err, bufio.ErrBufferFull) && !bytes.HasPrefix(piece, []byte(`{"kind":"`)) {
			isBegun = false
		}
		if isBegun || 0 < len(t.line) && len(t.line) < t.most {
			t.line = append(t.line, piece...)
		}
		size += len(piece)
	}
	return size, err
}
