package otlp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Client posts traces to one address.
type Client struct {
	URL     string      // see package endpoint
	Headers http.Header // in addition to its own

	transport http.RoundTripper // for tests; nil is that of package http
}

const (
	maxResponse = 16 << 10         // that is read of a response, in bytes
	timeout     = 10 * time.Second // of a request
)

// A Refusal is the response of a collector that rejected a request.
type Refusal struct {
	Status int
	Text   string        // the beginning of the response
	After  time.Duration // how long the collector asks to wait, or 0
}

func (r *Refusal) Error() string {
	text := fmt.Sprintf("the collector responded with %d %s", r.Status, http.StatusText(r.Status))
	if r.Text != "" {
		text += ": " + r.Text
	}
	return text
}

// A Partial is the response of a collector that rejected some spans of a request.
type Partial struct {
	Spans int
	Text  string
}

func (p *Partial) Error() string {
	return fmt.Sprintf("the collector rejected spans: %d: %s", p.Spans, p.Text)
}

// Post posts a request once. It follows no redirects, because the headers are for one collector.
// The error is a *Refusal or a *Partial, or says why there was no response.
func (c *Client) Post(ctx context.Context, body []byte) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.URL, bytes.NewReader(body))
	if err != nil {
		return err
	}
	for name, values := range c.Headers {
		request.Header[name] = values
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", "acpshim")
	client := http.Client{Transport: c.transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.Do(request)
	if failed := (*url.Error)(nil); errors.As(err, &failed) {
		return fmt.Errorf("no response from the collector: %w", failed.Err) // the URL may have a key
	}
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxResponse))
	if response.StatusCode/100 != 2 {
		after := retryAfter(response.Header.Get("Retry-After"), time.Now())
		return &Refusal{response.StatusCode, c.withoutHeaders(message(text)), after}
	}
	if err != nil {
		return nil // the collector has accepted the request
	}
	return c.partial(text)
}

// withoutHeaders returns the beginning of a response for logs. It removes the values of the
// headers, because a collector may repeat a key that it rejects.
func (c *Client) withoutHeaders(text string) string {
	for _, values := range c.Headers {
		for _, value := range values {
			for _, part := range append(strings.Fields(value), value) {
				if len(part) >= 4 {
					text = strings.ReplaceAll(text, part, "[redacted:header]")
				}
			}
		}
	}
	return Cut(text, 200)
}

// message returns the text of an error of a collector for people: its message if it is JSON, or all
// of it. Characters are not escaped, so that keys are found in it.
func message(text []byte) string {
	var status struct{ Message string }
	var other any
	switch {
	case json.Unmarshal(text, &status) == nil && status.Message != "":
		return status.Message
	case json.Unmarshal(text, &other) == nil:
		var plain bytes.Buffer
		e := json.NewEncoder(&plain)
		e.SetEscapeHTML(false)
		if e.Encode(other) == nil {
			text = plain.Bytes()
		}
	}
	return string(bytes.TrimSpace(bytes.ToValidUTF8(text, nil)))
}

// partial reads the response to a request that was accepted.
func (c *Client) partial(text []byte) error {
	var response struct {
		PartialSuccess struct {
			RejectedSpans json.RawMessage `json:"rejectedSpans"` // int64, which may be a string
			ErrorMessage  string          `json:"errorMessage"`
		} `json:"partialSuccess"`
	}
	if json.Unmarshal(text, &response) != nil {
		return nil
	}
	n, err := strconv.Atoi(string(bytes.Trim(response.PartialSuccess.RejectedSpans, `"`)))
	if err != nil || n <= 0 {
		return nil
	}
	return &Partial{n, c.withoutHeaders(response.PartialSuccess.ErrorMessage)}
}

// retryAfter reads a number of seconds or a date. It returns 0 for anything else.
func retryAfter(text string, now time.Time) time.Duration {
	if n, err := strconv.Atoi(text); err == nil && n > 0 {
		return time.Duration(min(n, 3600)) * time.Second
	}
	if date, err := http.ParseTime(text); err == nil {
		return max(min(date.Sub(now), time.Hour), 0)
	}
	return 0
}

// isTemporary reports whether the same request may be accepted later.
func isTemporary(err error) bool {
	if refusal := (*Refusal)(nil); errors.As(err, &refusal) {
		return slices.Contains([]int{429, 502, 503, 504}, refusal.Status)
	}
	return !errors.As(err, new(*Partial)) && !errors.Is(err, context.Canceled)
}
