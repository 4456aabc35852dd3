//go:build unix

package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// certify writes a certificate for these names that signs itself, and its key, and returns their
// paths.
func certify(t *testing.T, end time.Time, names ...string) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), DNSNames: names, NotBefore: end.Add(-24 * time.Hour), NotAfter: end,
		IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	privateDER, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name, kind string, der []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	return write("cert.pem", "CERTIFICATE", der), write("key.pem", "PRIVATE KEY", privateDER)
}

// A server with a certificate serves connect over TLS, on both transports. A certificate that is
// not trusted, has another name or has expired ends the connection with a sentence that says so.
func TestServeAndConnectOverTLS(t *testing.T) {
	tomorrow := time.Now().Add(24 * time.Hour)
	for name, c := range map[string]struct {
		host    string
		end     time.Time
		trusts  bool
		failure string // what standard error says; "" if the conversation works
	}{
		"trusted":     {"localhost", tomorrow, true, ""},
		"not trusted": {"localhost", tomorrow, false, "does not trust the certificate of the server"},
		"other name":  {"agents.example.org", tomorrow, true, "certificate is valid for agents.example.org, not localhost"},
		"expired":     {"localhost", time.Now().Add(-time.Hour), true, "certificate has expired"},
	} {
		t.Run(name, func(t *testing.T) {
			cert, key := certify(t, c.end, c.host)
			s := serves(t, []string{"--cert", cert, "--key", key}, "recv", "send:"+remoteInitialized, "eof")
			address := strings.Replace(s.address, "127.0.0.1", "localhost", 1)
			for _, scheme := range []string{"wss", "https"} {
				flags := []string{"--log-level", "error"}
				if c.trusts {
					flags = append(flags, "--ca", cert)
				}
				client := connects(t, s.token, scheme+"://"+address+"/acp", flags...)
				client.send(remoteInitialize)
				if c.failure == "" {
					client.read(remoteInitialized + "\n")
					client.in.Close()
					client.exits(0)
					continue
				}
				client.exits(1)
				if got := client.stderr.String(); !strings.Contains(got, c.failure) || strings.Contains(got, s.token) {
					t.Errorf("%s: standard error has %q, want %q", scheme, got, c.failure)
				}
				if rest := string(client.rest()); !strings.Contains(rest, `"id":0,"error"`) {
					t.Errorf("%s: the response to initialize is %q", scheme, rest)
				}
			}
		})
	}
}

// The URL that a server prints has a name of its certificate.
func TestServePrintsANameOfTheCertificate(t *testing.T) {
	cert, key := certify(t, time.Now().Add(time.Hour), "*.example.org", "agents.example.org")
	s := serves(t, []string{"--listen", "0.0.0.0:0", "--cert", cert, "--key", key}, "eof")
	if !strings.HasPrefix(s.address, "agents.example.org:") {
		t.Errorf("it prints the address %s", s.address)
	}
}
