package history

import (
	"io"

	"acpshim/internal/record"
)

// Open reads the whole record that open opens. The error is one of opening or of reading.
func Open(open func() (io.ReadCloser, error)) (*History, error) {
	files, err := open()
	if err != nil {
		return nil, err
	}
	defer files.Close()
	return Read(record.NewReader(files))
}
