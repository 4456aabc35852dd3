package remote

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"syscall"

	"acpshim/internal/run/frames"

	"github.com/coder/websocket"
)

// An End says how a connection ended, for people.
type End struct {
	Text      string // a sentence without a period
	Hint      string // what the user can try; may be empty
	isFailure bool
}

// IsFailure reports whether the connection ended although neither side wanted that.
func (e *End) IsFailure() bool { return e.isFailure }

var (
	errEnded        = errors.New("the server ended the connection")
	errNoACP        = errors.New("the server does not respond with ACP")
	errNoWebSocket  = errors.New("the server does not speak WebSocket")
	errNoStream     = errors.New("the server offers no event stream for the connection")
	errNoConnection = errors.New("the server's response to initialize has no Acp-Connection-Id")
)

// A statusError is an HTTP response with an unexpected status.
type statusError struct {
	status   int
	location string // where it redirects to; may be empty
}

func (e *statusError) Error() string {
	return fmt.Sprintf("the server returned %d %s", e.status, http.StatusText(e.status))
}

// unexpected returns a statusError for a response, and closes its body.
func unexpected(r *http.Response) error {
	if r.Body != nil {
		r.Body.Close()
	}
	return &statusError{r.StatusCode, r.Header.Get("Location")}
}

// Shown returns a URL without its user, query and fragment, which may be secret.
func Shown(u *url.URL) string {
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

// reasonOf returns an error without the URL that net/http adds.
func reasonOf(err error) error {
	var of *url.Error
	for errors.As(err, &of) {
		err = of.Err
	}
	return err
}

// endOf returns the End for an error. Nil means that acpshim ended the connection.
func (a *Agent) endOf(err error) *End {
	end := a.end(err)
	end.Text, end.Hint = a.hide(end.Text), a.hide(end.Hint)
	return end
}

func (a *Agent) end(err error) *End {
	where := Shown(a.o.URL)
	if err == nil || errors.Is(err, context.Canceled) && a.ctx.Err() != nil {
		return &End{Text: "the connection to " + where + " was closed by acpshim"}
	}
	var closed websocket.CloseError
	var status *statusError
	switch {
	case errors.As(err, &closed):
		return endOfClose(where, closed)
	case errors.Is(err, errEnded):
		return &End{Text: "the server at " + where + " ended the connection"}
	case errors.As(err, &status):
		return endOfStatus(where, status)
	}
	text, hint := sentence(reasonOf(err))
	if isClear := a.o.URL.Scheme == "ws" || a.o.URL.Scheme == "http"; hint == "" && isClear && !a.isInitialized() {
		hint = "for a server with TLS, use a URL with wss:// or https://"
	}
	return &End{Text: where + ": " + text, Hint: hint, isFailure: true}
}

// isInitialized reports whether the server has responded to initialize.
func (a *Agent) isInitialized() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.state.isInitialized
}

// hide removes secrets from a text, because a server may have repeated them.
func (a *Agent) hide(text string) string {
	for _, secret := range a.secrets() {
		if len(secret) < 4 {
			continue
		}
		quoted := strconv.Quote(secret) // as texts of a server are in errors
		text = strings.ReplaceAll(text, secret, "***")
		text = strings.ReplaceAll(text, quoted[1:len(quoted)-1], "***")
	}
	return text
}

// logged returns an error as it is logged: without the URL that net/http adds, and without secrets.
func (a *Agent) logged(err error) error { return errors.New(a.hide(reasonOf(err).Error())) }

// secrets returns the values of headers and the secret parts of the URL.
func (a *Agent) secrets() (all []string) {
	for _, values := range a.o.Header {
		for _, value := range values {
			_, token, _ := strings.Cut(value, " ")
			all = append(all, value, token)
		}
	}
	for _, values := range a.o.URL.Query() {
		all = append(all, values...)
	}
	password, _ := a.o.URL.User.Password()
	return append(all, a.o.URL.RawQuery, password)
}

// closes explains the codes with which servers close a WebSocket.
var closes = map[websocket.StatusCode]string{
	websocket.StatusProtocolError:   "it says that a message broke the protocol",
	websocket.StatusPolicyViolation: "a limit of the server was exceeded",
	websocket.StatusMessageTooBig:   "a message was too long for the server",
	websocket.StatusInternalError:   "the server failed, or its agent ended",
	1012:                            "the server restarts",
	1013:                            "the server is overloaded",
}

func endOfClose(where string, closed websocket.CloseError) *End {
	switch closed.Code {
	case websocket.StatusNormalClosure, websocket.StatusGoingAway, websocket.StatusNoStatusRcvd:
		return &End{Text: "the server at " + where + " ended the connection"}
	}
	text := fmt.Sprintf("the server at %s closed the connection with code %d", where, closed.Code)
	if means := closes[closed.Code]; means != "" {
		text += ": " + means
	}
	if closed.Reason != "" {
		text += fmt.Sprintf(" (it says %q)", closed.Reason)
	}
	return &End{Text: text, isFailure: true}
}

func endOfStatus(where string, b *statusError) *End {
	end := &End{Text: fmt.Sprintf("the server at %s returned %d %s", where, b.status, http.StatusText(b.status)), isFailure: true}
	switch {
	case b.status == http.StatusUnauthorized || b.status == http.StatusForbidden:
		end.Text += ": it does not accept the token, or this client"
		end.Hint = "put the token into ACPSHIM_CONNECT_TOKEN, or a line such as \"Authorization: Bearer ${TOKEN}\" into --header-file FILE"
	case b.status >= 300 && b.status < 400:
		if u, err := url.Parse(b.location); err == nil && b.location != "" {
			end.Text += fmt.Sprintf(", which leads to %q", Shown(u))
		}
		end.Hint = "acpshim does not follow redirects: connect to the new URL"
	case b.status == http.StatusNotFound:
		end.Hint = "check the path of the URL; many servers have ACP at /acp"
	case b.status == http.StatusOK || b.status == http.StatusUpgradeRequired || b.status == http.StatusMethodNotAllowed || b.status == http.StatusBadRequest:
		end.Hint = "the server may speak the other transport: ws:// and wss:// mean WebSocket, http:// and https:// mean streamable HTTP; --transport overrides that"
	}
	return end
}

// sentence explains an error of the network, and returns a hint.
func sentence(err error) (text, hint string) {
	var dns *net.DNSError
	var unknown x509.UnknownAuthorityError
	var name x509.HostnameError
	var invalid x509.CertificateInvalidError
	var record tls.RecordHeaderError
	var verification *tls.CertificateVerificationError
	const noTLS = "use ws:// or http:// for a server without TLS"
	var network *net.OpError
	var timeout net.Error
	switch {
	case errors.As(err, &network) && network.Op == "proxyconnect":
		return fmt.Sprintf("the proxy of this machine cannot be reached (%v)", inner(err)), "check HTTP_PROXY, HTTPS_PROXY and NO_PROXY"
	case errors.As(err, &dns):
		return fmt.Sprintf("the name %q cannot be resolved (%v)", dns.Name, dns.Err), ""
	case errors.Is(err, syscall.ECONNREFUSED):
		return "nothing listens there: the connection was refused", "is the server running, and is the port right?"
	case errors.As(err, &unknown):
		return "this machine does not trust the certificate of the server", "name a certificate to trust with --ca FILE"
	case errors.As(err, &name), errors.As(err, &invalid), errors.As(err, &verification):
		return fmt.Sprintf("the certificate of the server is not valid: %v", inner(err)), ""
	case errors.As(err, &record), strings.Contains(err.Error(), "server gave HTTP response to HTTPS client"):
		return "the server does not speak TLS", noTLS
	case errors.Is(err, errNoACP), errors.Is(err, errNoConnection), errors.Is(err, errNoStream), errors.Is(err, frames.ErrSilent), errors.Is(err, frames.ErrTooLong):
		return err.Error(), ""
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return "the server does not respond", ""
	case errors.Is(err, errNoWebSocket), strings.Contains(err.Error(), "malformed HTTP response"), strings.Contains(err.Error(), "malformed HTTP status"):
		return "the server there does not speak ACP", ""
	case strings.Contains(err.Error(), "invalid close payload"), strings.Contains(err.Error(), "frame header"), strings.Contains(err.Error(), "unexpected rsv"):
		if !isBroken(err) {
			return fmt.Sprintf("the server sent something that is not WebSocket (%v)", inner(err)), ""
		}
	}
	if isBroken(err) {
		return fmt.Sprintf("the connection broke (%v)", inner(err)), ""
	}
	return inner(err).Error(), ""
}

func isBroken(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) || errors.Is(err, net.ErrClosed)
}

// inner returns the innermost error.
func inner(err error) error {
	for next := errors.Unwrap(err); next != nil; next = errors.Unwrap(next) {
		err = next
	}
	return err
}
