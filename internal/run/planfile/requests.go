package planfile

import (
	"context"
	"errors"
	"fmt"
	"time"

	"acpshim/internal/chain/wire"
)

// errSlow says that the client took so long to read a request that its response cannot be in time.
var errSlow = errors.New("the client does not read")

// A clientText is the response of the client to fs/read_text_file.
type clientText struct {
	text string
	err  error
}

// request sends fs/read_text_file to the client, between the agent's lines, and returns the
// response. The error is that of the context if there is no response in time.
func (l *Live) request(ctx context.Context, session, path string) (string, error) {
	responses := make(chan clientText, 1)
	id := l.opts.Own.Begin("plan", func(result, failure []byte) []byte {
		text, err := readResponse(result, failure)
		responses <- clientText{text, err}
		return nil
	})
	defer l.opts.Own.Forget(id)
	line := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"method":"fs/read_text_file","params":{"sessionId":%s,"path":%s}}`+"\n",
		wire.Quote(nil, id), wire.Quote(nil, session), wire.Quote(nil, path))
	begun := time.Now()
	switch isSent := l.opts.Inject(func(dst []byte) []byte { return append(dst, line...) }); {
	case !isSent:
		return "", context.Canceled
	case time.Since(begun) >= askTimeout:
		return "", errSlow
	}
	select {
	case r := <-responses:
		return r.text, r.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// maxResponse is the largest result with a text of [MaxSize], in bytes. Each byte may be escaped.
const maxResponse = 6*MaxSize + 4096

// readResponse returns the text in a response to fs/read_text_file.
func readResponse(result, failure []byte) (string, error) {
	errLarge := fmt.Errorf("is larger than %d KiB", MaxSize>>10)
	if len(result) > maxResponse || len(failure) > maxResponse {
		return "", errLarge
	}
	refusal, _ := wire.Parse(failure)
	message, isRefused := refusal.Text("message")
	success, _ := wire.Parse(result)
	text, isText := success.Text("content")
	switch {
	case isRefused:
		return "", fmt.Errorf("the client: [%s] %s", refusal.Raw("code"), message)
	case !isText:
		return "", errors.New("the client's response has no content")
	case len(text) > MaxSize:
		return "", errLarge
	}
	return text, nil
}
