package serve

import (
	stdlog "log"
	"net/http"
	"strings"
	"time"

	"acpshim/internal/text/terminal"

	"github.com/rs/zerolog"
)

// What a request without the token may take. A socket that holds no connection of a client is free
// again after these times, whatever its client does.
const (
	requestTime = 10 * time.Second // until the request has come; the body of one with the token may take longer
	restTime    = time.Second      // until the rest of a body has come that nobody reads
	idleTime    = 2 * time.Minute  // until the next request of a client with the token
	maxHeaders  = 16 << 10         // bytes, as in Node
)

// HTTP returns the HTTP server with the limits of s.
func (s *Server) HTTP() *http.Server {
	return &http.Server{
		Handler: s, ReadTimeout: requestTime, IdleTimeout: idleTime, MaxHeaderBytes: maxHeaders,
		ErrorLog: stdlog.New(clientErrors{s.Log}, "", 0),
	}
}

// A clientErrors logs the errors of HTTP clients.
type clientErrors struct{ log zerolog.Logger }

func (e clientErrors) Write(p []byte) (int, error) {
	e.log.Debug().Msg(terminal.Line(strings.TrimSpace(string(p))))
	return len(p), nil
}

// closeAfter closes the socket of a request after the response, unless keepAfter is called. Without
// that, net/http sends no response before the body has come. Over HTTP/2, where the socket has
// other requests, too, it ends when those have ended.
func closeAfter(w http.ResponseWriter) { w.Header().Set("Connection", "close") }

// keepAfter keeps the socket of a request for the next one.
func keepAfter(w http.ResponseWriter) { w.Header().Del("Connection") }

// limitRest limits how long net/http waits for the rest of the body after the response.
func limitRest(w http.ResponseWriter) {
	http.NewResponseController(w).SetReadDeadline(time.Now().Add(restTime))
}

// unlimit lets a request whose body was read, or has none, take any time.
func unlimit(w http.ResponseWriter) { http.NewResponseController(w).SetReadDeadline(time.Time{}) }
