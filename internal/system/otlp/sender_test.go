package otlp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// A collector responds to requests with a list of statuses. The last one is for all later requests.
type collector struct {
	t       *testing.T
	answers []func(*http.Request) (*http.Response, error)
	at      []time.Duration // when requests came
	spans   []int           // in each
	begun   time.Time
}

func (c *collector) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		c.t.Error(err)
	}
	c.at = append(c.at, time.Since(c.begun).Round(time.Second))
	c.spans = append(c.spans, strings.Count(string(body), `"spanId"`))
	answer := c.answers[min(len(c.at), len(c.answers))-1]
	return answer(r)
}

func says(status int, body string, header ...string) func(*http.Request) (*http.Response, error) {
	return func(*http.Request) (*http.Response, error) {
		r := &http.Response{StatusCode: status, Body: io.NopCloser(strings.NewReader(body)), Header: http.Header{}}
		for i := 0; i < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		return r, nil
	}
}

func refused(*http.Request) (*http.Response, error) { return nil, errors.New("connection refused") }

func never(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

type answers = []func(*http.Request) (*http.Response, error)

func TestSender(t *testing.T) {
	for name, test := range map[string]struct {
		answers  answers
		wait     time.Duration // before the end
		at       string        // of requests, rounded
		dropped  int
		took     time.Duration // by Close
		failures int           // calls of failed
	}{
		"taken":                {answers{says(200, "{}")}, 10 * time.Second, "[2s]", 0, 0, 0},
		"at the end":           {answers{says(200, "{}")}, 0, "[0s]", 0, 0, 0},
		"later":                {answers{says(429, "", "Retry-After", "7"), says(200, "")}, time.Minute, "[2s 9s]", 0, 0, 1},
		"a date":               {answers{says(503, "", "Retry-After", "Sat, 01 Jan 2000 00:00:12 GMT"), says(200, "")}, time.Minute, "[2s 12s]", 0, 0, 1},
		"not wanted":           {answers{says(400, `{"message":"no"}`)}, time.Minute, "[2s]", 3, 0, 1},
		"not known":            {answers{says(401, "who?")}, time.Minute, "[2s]", 3, 0, 1},
		"broken":               {answers{says(500, "")}, time.Minute, "[2s]", 3, 0, 1},
		"elsewhere":            {answers{says(307, "", "Location", "http://other.example/")}, time.Minute, "[2s]", 3, 0, 1},
		"partly":               {answers{says(200, `{"partialSuccess":{"rejectedSpans":"2","errorMessage":"old"}}`)}, time.Minute, "[2s]", 2, 0, 1},
		"a warning":            {answers{says(200, `{"partialSuccess":{"errorMessage":"hm"}}`)}, time.Minute, "[2s]", 0, 0, 0},
		"down at the end":      {answers{refused}, 0, "[0s]", 3, 0, 1},
		"silent at the end":    {answers{never}, 0, "[0s]", 3, 2 * time.Second, 1},
		"asks to wait, at end": {answers{says(429, "", "Retry-After", "60")}, 10 * time.Second, "[2s]", 3, 0, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := &collector{t: t, answers: test.answers, begun: time.Now()}
				failures := 0
				s := NewSender(&Client{URL: "http://collector.example/v1/traces", transport: c}, NewEnvelope("v", "run"), func(error) { failures++ })
				for range 3 {
					s.Put(&Span{Name: "x"})
				}
				time.Sleep(test.wait)
				closed := time.Now()
				if dropped := s.Close(2 * time.Second); dropped != test.dropped || fmt.Sprint(c.at) != test.at || failures != test.failures {
					t.Errorf("dropped %d, requests at %v, %d failures; want %d, %s, %d", dropped, c.at, failures, test.dropped, test.at, test.failures)
				}
				if took := time.Since(closed); took != test.took {
					t.Errorf("closing took %v, want %v", took, test.took)
				}
			})
		})
	}
}

// Requests to a collector that is down are retried less and less often, and once at the end.
func TestSenderRetries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &collector{t: t, answers: answers{refused}, begun: time.Now()}
		s := NewSender(&Client{URL: "http://collector.example", transport: c}, NewEnvelope("v", "run"), nil)
		s.Put(&Span{})
		time.Sleep(5 * time.Minute)
		if dropped := s.Close(time.Second); dropped != 1 || len(c.at) != tries {
			t.Errorf("dropped %d after %d tries", dropped, len(c.at))
		}
		for i := 1; i < len(c.at); i++ {
			longest := min(time.Second<<i, 30*time.Second)
			if gap := c.at[i] - c.at[i-1]; gap < longest/2-time.Second || gap > longest+time.Second {
				t.Errorf("waited %v before try %d, want %v to %v", gap, i+1, longest/2, longest)
			}
		}
	})
}

// The waiting spans are bounded, and Put does not wait.
func TestSenderIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &collector{t: t, answers: answers{never}, begun: time.Now()}
		s := NewSender(&Client{URL: "http://collector.example", transport: c}, NewEnvelope("v", "run"), nil)
		span := &Span{Name: strings.Repeat("x", 1<<20)}
		began := time.Now()
		for range 20 {
			s.Put(span)
		}
		if time.Since(began) > 0 {
			t.Error("putting waited")
		}
		if s.size > maxWaiting || len(s.waiting) != 3 {
			t.Errorf("%d spans of %d bytes wait", len(s.waiting), s.size)
		}
		if dropped := s.Close(time.Second); dropped != 20 {
			t.Errorf("dropped %d of 20", dropped)
		}
	})
}

// Requests have up to 512 spans and half a megabyte, unless one span is larger.
func TestRequestsAreBounded(t *testing.T) {
	c := &collector{t: t, answers: answers{says(200, "")}}
	var spans []*Span
	for range 1100 {
		spans = append(spans, &Span{})
	}
	spans = append(spans, &Span{Name: strings.Repeat("x", 600<<10)}, &Span{})
	client := &Client{URL: "http://collector.example", transport: c}
	if err := client.Send(context.Background(), NewEnvelope("v", "run"), spans); err != nil {
		t.Error(err)
	}
	if got := fmt.Sprint(c.spans); got != "[512 512 76 1 1]" {
		t.Errorf("requests of %s spans", got)
	}
}

func TestSendCountsRejectedSpans(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &collector{t: t, answers: answers{refused}}
		err := (&Client{URL: "http://collector.example", transport: c}).Send(context.Background(), Envelope{}, make([]*Span, 2))
		if err == nil || len(c.at) != 3 || !strings.HasPrefix(err.Error(), "spans that were not accepted: 2 of 2: ") {
			t.Errorf("%v after %d tries", err, len(c.at))
		}
	})
}

// The path of an address may have a key, so errors do not have it.
func TestErrorsHaveNoAddress(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	for name, answer := range map[string]func(*http.Request) (*http.Response, error){"refused": refused, "never": never} {
		c := Client{URL: "http://collector.example/k3y/v1/traces", transport: &collector{t: t, answers: answers{answer}}}
		if err := c.Post(ctx, []byte("{}")); err == nil || strings.Contains(err.Error(), "k3y") || !isTemporary(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
