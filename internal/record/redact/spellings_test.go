package redact_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"acpshim/internal/record/redact"
)

// made and word are the secrets. made looks generated. Only its name or place shows that word is
// one.
var (
	made = "Zq7" + "vB2nK4xW8mT1p"
	word = "opensesame"
)

// spellings has secrets with a name or a place that shows them: {S} is made, {W} is word.
var spellings = []string{
	// Assignments and properties.
	"password={W}", "password={S}", "PASSWORD={W}", "password: {S}", "password: {W}", "password = {W}", "password = {S}", "password := \"{W}\"", "passwd={W}", "pwd={W}", "PWD_DB={S}",
	"pass={S}", "db_pass={W}", "dbPass: '{W}'", "psk=\"{W}\"", "wifi-psk: {S}", "secret={W}", "client_secret={W}", "clientSecret: \"{W}\"", "ClientSecret: {S}", "SECRET_KEY_BASE={W}",
	"token={S}", "token: {S}", "accessToken: '{W}'", "access-token: {S}", "AccessToken={W}", "refresh_token: \"{S}\"", "api key: {S}", "API key = {S}", "apikey={W}", "api-key: \"{W}\"", "ApiKey = '{W}'", "APIKey: \"{W}\"",
	"credential={S}", "credentials: \"{S}\"", "private_key={W}", "privateKey: '{W}'", "PRIVATE-KEY: {S}", "auth={S}", "_auth={S}", "npm_auth: \"{S}\"", "cookie: sid={S}", "Cookie: a=b; sid={S}",
	"export DB_PASSWORD={W}", "export DB_PASSWORD='{W}'", "export TOKEN=\"{S}\"", "declare -x API_KEY=\"{W}\"", "$env:API_KEY = \"{W}\"", "set API_KEY={W}", "setx API_KEY {W}", "setx API_KEY \"{S}\"",
	"set -x API_KEY {W}", "set -gx GITHUB_TOKEN {S}", "setenv API_TOKEN {W}", "ENV API_KEY {W}", "ENV API_KEY={W}", "ARG NPM_TOKEN={S}", "SetEnv DB_PASSWORD {W}", "+ export API_TOKEN={S}",
	"+ API_TOKEN={S}", "\x1b[32mpassword\x1b[0m={W}", "\x1b[1;31mpassword\x1b[0m: \x1b[33m{S}\x1b[0m", "\x1b[36mAPI_KEY\x1b[39m=\x1b[33m{S}\x1b[39m", `\u001b[32mpassword\u001b[0m: {S}`, `\x1b[32mtoken\x1b[0m={S}`, `\033[1mpassword\033[0m={W}`,
	"password => '{W}'", "'password' => '{W}'", ":password => \"{W}\"", "\"password\" => \"{W}\"", "password -> {S}", "password|{W}|x", "password\t{S}", "  password: {W}", "- password: {W}", "password : \"{W}\"", "'password': '{W}'", `"password":"{W}"`, `"password" : "{W}"`, `password: "{W} {W}"`,
	"spring.datasource.password={W}", "spring.datasource.password: {W}", "process.env.API_KEY = '{W}'", "os.environ['API_KEY'] = '{W}'", "os.environ[\"TOKEN\"] = \"{S}\"", "config['password'] = '{W}'", "$config['db']['password'] = '{W}';", "$password = '{W}';", "@password = '{W}'",
	"self.password = \"{W}\"", "const apiKey = '{W}';", "let password = \"{W}\"", "var token = \"{S}\"", "String password = \"{W}\";", "char *password = \"{W}\";", "private static final String API_KEY = \"{W}\";", "api_key: str = \"{W}\"", "apiKey?: string = '{S}'", "password: '{W}',", "#define API_KEY \"{W}\"",
	"newPassword={W}", "passwordConfirmation: '{W}'", "user_password_hash={S}", "MYSQL_ROOT_PASSWORD={W}", "POSTGRES_PASSWORD: {W}", "PGPASSWORD={W} psql", "MYSQL_PWD={W} mysql", "SSHPASS={W} sshpass -e ssh h", "REDISCLI_AUTH={S} redis-cli", "VAULT_TOKEN={S}", "requirepass {W}", "masterauth {S}", "requirepass {S}",
	"password1={W}", "token2: {S}", "secret_prod={W}", "passwordOfBob: {S}", "TOKEN_GITHUB={S}", "STRIPE_KEY={S}", "ansible_ssh_pass={W}", "ansible_become_pass: {W}", "vault_password: {W}",
	// Calls.
	"define('DB_PASSWORD', '{W}');", "define(\"API_KEY\", \"{W}\")", "set(\"password\", \"{W}\")", "put('api_key', '{W}')", "setenv(\"API_KEY\", \"{W}\", 1)", "os.Setenv(\"TOKEN\", \"{S}\")", "os.environ.setdefault('API_KEY', '{W}')", "headers.set('Authorization', 'Bearer {S}')", "setRequestHeader(\"X-Api-Key\", \"{W}\")",
	"localStorage.setItem('token', '{S}')", "setPassword(\"{W}\")", "withPassword('{W}')", ".password(\"{W}\")", ".apiKey(\"{W}\")", "PASSWORD('{W}')", "new Cookie(\"session_token\", \"{S}\")", "addParameter(\"password\", \"{W}\")", "Credentials(\"bob\", password=\"{W}\")", "getenv('X', password='{W}')",
	// XML and HTML.
	"<password>{W}</password>", "<Password>{S}</Password>", "<db:password>{W}</db:password>", "<password type=\"text\">{W}</password>", "<add key=\"DbPassword\" value=\"{W}\"/>", "<add name=\"x\" password=\"{W}\" />", "<property name=\"password\" value=\"{W}\"/>", "<property name=\"password\">{W}</property>", "<entry key=\"password\">{W}</entry>",
	"<string name=\"api_key\">{W}</string>", "<key>Password</key><string>{S}</string>", "<key>ApiToken</key>\n  <string>{S}</string>", "<input type=\"password\" value=\"{W}\">", "<input name=\"password\" type=\"hidden\" value=\"{W}\">", "<td>password</td><td>{S}</td>", "<th>API key</th><td>{S}</td>", "<dt>Password</dt><dd>{S}</dd>", "<connection password='{W}'/>", "<secret><![CDATA[{W}]]></secret>", "<b>Password:</b> {S}", "<api-key>{S}</api-key>", "&quot;password&quot;:&quot;{W}&quot;",
	// SQL.
	"CREATE USER bob IDENTIFIED BY '{W}'", "ALTER USER bob IDENTIFIED BY {W}", "IDENTIFIED WITH mysql_native_password BY '{W}'", "CREATE ROLE bob WITH PASSWORD '{W}'", "ALTER ROLE bob PASSWORD '{W}'", "ALTER USER bob WITH ENCRYPTED PASSWORD '{S}'", "SET PASSWORD FOR 'bob' = '{W}'", "SET PASSWORD = PASSWORD('{W}')", "CREATE LOGIN bob WITH PASSWORD = '{W}'", "UPDATE users SET password='{W}' WHERE id=1", "UPDATE users SET password = '{W}'",
	// Tables.
	"| password | {W} |", "| password | `{S}` |", "| API key | {S} |", "| DB_PASSWORD | {W} | x |", "|token|{S}|", "password | {S}", "│ password │ {S} │", "**Password:** {S}", "**password**: {S}", "- **API key**: `{S}`", "`password`: `{S}`", "`TOKEN`=`{S}`", "API key `{S}`",
	// Command lines.
	"curl -u bob:{W} https://h", "curl -ubob:{W} https://h", "curl --user bob:{W} h", "curl --user=bob:{S} h", "curl -u 'bob:{W}' h", "curl -b 'sid={S}' h", "curl --cookie sid={S} h", "curl -H 'Authorization: Bearer {S}' h", "curl -H \"X-Api-Key: {S}\" h", "curl -H 'Cookie: sid={S}' h", "curl -d 'user=bob&password={W}' h", "curl -d '{\"password\":\"{W}\"}' h", "curl -F password={W} h", "curl https://bob:{W}@h/",
	"wget --user bob --password {W} h", "wget --http-password={W} h", "http -a bob:{W} h", "mysql -u root -p{W} db", "mysql -uroot -p'{W}' db", "mysqldump --password={W} db", "mysql --password {W}", "redis-cli -a {W} ping", "redis-cli -h h --pass {W}", "ldapsearch -x -D cn=a -w {W} -b dc=b", "az login -u bob -p {W}", "az storage --account-key {S}", "smbclient //h/s -U bob%{W}", "smbclient -U 'bob%{W}' //h/s", "openssl rsa -passin pass:{W} -in k", "openssl enc -aes -k {W}", "openssl pkcs12 -passout pass:{W}", "htpasswd -b f bob {W}", "htpasswd -bc f bob {W}", "htpasswd -nb bob {W}",
	"aws configure set aws_secret_access_key {W}", "aws configure set aws_secret_access_key {S} --profile x", "npm config set //registry.npmjs.org/:_authToken {S}", "npm config set _auth={S}", "docker login -u bob -p {W}", "docker login -u bob --password {W} h", "docker login --username=bob --password={W}", "podman login -p {W}", "helm registry login -u bob -p {W}", "sshpass -p {W} ssh h", "sshpass -p{W} ssh h", "sshpass -p '{W}' ssh h",
	"mongosh -u bob -p {W}", "psql \"password={W} host=h\"", "unzip -P {W} f.zip", "7z x -p{W} f", "net use x: \\\\h\\s {W} /user:bob", "net user bob {W} /add", "sqlcmd -S h -U sa -P {W}", "plink -pw {W} h", "rabbitmqctl add_user bob {W}", "keytool -storepass {W} -list", "gpg --passphrase {W} f", "ngrok authtoken {S}", "cargo login {S}", "vault login {S}", "nmcli dev wifi connect x password {S}", "svn co --username b --password {W} u", "tool --api-key {W}", "tool --api-key={W} run", "tool --token {S}", "tool -password {S}", "tool --db-password '{W}'", "java -Dpassword={W} -jar x", "java -Djavax.net.ssl.keyStorePassword={W}", "cmd /password:{S}", "kubectl create secret generic x --from-literal=password={W}", "gh secret set NAME -b {S}", "PASSWORD={W} ./run", "env TOKEN={S} ./run", "sudo -S <<< 'x'; mysql -p{W}",
	// Files.
	"machine h login bob password {W}", "machine h\n  login bob\n  password {W}\n", "h:5432:db:bob:{W}", "*:*:*:bob:{W}", "root:$6$abcdefgh${S}:19000:0:99999:7:::", "bob:$apr1${S}${S}/", "bob:{SHA}{S}{S}=", "bob:$2y$10${S}{S}{S}", "bob:aB3dE6gH9jK1m:19000:0:::~aB3dE6gH9jK1m", "[client]\nuser=bob\npassword={W}", "password: |\n  {S}\n  {S}\nnext: 1", "key: >-\n  x\nprivate_key: |\n    {W}\n    {W}\nuser: bob",
	"-----BEGIN RSA PRIVATE KEY-----\n{S}\nS\n-----END RSA PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----\\n{S}\\n-----END PRIVATE KEY-----\\n", "-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n{S}\n-----END PGP PRIVATE KEY BLOCK-----", "PuTTY-User-Key-File-2: ssh-rsa\nEncryption: none\nPrivate-Lines: 1\n{S}\nPrivate-MAC: 00\n", "-----BEGIN OPENSSH PRIVATE KEY-----\n{S}",
	// Headers and URLs.
	"Authorization: Bearer {S}", "authorization: Basic Ym9iOlpxN3ZC~Ym9iOlpxN3ZC", "Authorization: Digest username=\"bob\", nonce=\"x\", response=\"{S}\"", "Proxy-Authorization: Basic {S}=", "Authorization: token {S}", "Authorization: {S}", "X-Api-Key: {S}", "X-Auth-Token: {S}", "Set-Cookie: sid={S}; Path=/", "x-amz-security-token: {S}", "code_verifier={S}", "code_verifier: \"{S}\"", "grant_type=authorization_code&code={S}&x=1", "https://h/cb?code={S}&state=x", "https://h/?token={S}", "https://h/?x=1&api_key={W}&y=2", "https://h/?X-Amz-Signature={S}&x=1", "https://h/?sig={S}", "https://h/?access_token={S}#x", "https://h/#access_token={S}", "postgres://bob:{W}@h/db", "postgres://bob:p/{W}@h/db", "mongodb+srv://bob:{W}@h", "redis://:{W}@h:6379", "amqp://bob:{W}@h", "https://{S}a1@github.com/x", "Server=h;User Id=bob;Password={W};Database=x", "Server=h;Uid=b;Pwd={W};", "AccountName=x;AccountKey={S}==;EndpointSuffix=y", "Endpoint=sb://h/;SharedAccessKeyName=x;SharedAccessKey={S}=", "host=h user=bob password={W} dbname=x", "jdbc:mysql://h/db?user=bob&password={W}", "token%3D{S}", "with Bearer {S}",
	// Pairs in broken JSON and YAML.
	"{\"name\":\"API_KEY\",\"value\":\"{W}\"", "- name: API_KEY\n  value: {W}", "- name: API_KEY\n  value: \"{W}\"", "{name: 'DB_PASSWORD', value: '{W}'}", `{\"password\":\"{W}\"`, `{\\\"password\\\":\\\"{W}\\\"`, `{"a":"{\"password\":\"{W}\"`, "env: {A: '{S}'", "env:\n  {\"A\": \"{S}\"}", "headers: {'X-A': '{S}'", "the password is {S}", "my API key is {S}.", "password for bob: {S}", "Password for 'https://bob@h': {S}", "OTP: 123456~123456", "x-functions-key: {S}", "DATADOG_APP_KEY={S}", "Ocp-Apim-Subscription-Key: {S}", "data:\n  password: {S}\n", "Password: \"{W}\",", "sudo: password for bob: {S}", "{\"auth\":{\"user\":\"x\",\"pass\":\"{W}\"}}", "{\"pwd\":\"{W}\"}", "{\"user_pass\":\"{W}\"}", "{\"a\":[\"password\",\"{S}\"]}", "[[\"api_key\",\"{S}\"]]", "Password: {S}", "token {S} expired",
}

// ofLine matches spellings that count only at the beginning of a line.
var ofLine = regexp.MustCompile(`^[ -]|\n|^(?:password|requirepass|ENV|machine|[\w*]+:[\w*]+:)`)

// wrapped returns a text in the forms in which records contain it.
func wrapped(text string) map[string]string {
	q := func(s string) string { b, _ := json.Marshal(s); return string(b) }
	message := func(s string) string {
		return `{"jsonrpc":"2.0","method":"session/update","params":{"update":{"content":{"type":"text","text":` + q(s) + `}}}}`
	}
	return map[string]string{
		"as it is": text, "in words": "so " + text, "a line of several": "one\n" + text + "\ntwo", "in a message": message(text), "twice": message(`{"a":` + q(text) + `}`),
		"thrice": message(`{"a":` + q(`{"b":`+q(text)+`}`) + `}`),
	}
}

func TestSpellings(t *testing.T) {
	t.Parallel()
	if len(spellings) < 240 {
		t.Errorf("%d spellings", len(spellings))
	}
	for _, s := range spellings {
		text, secret, ok := strings.Cut(s, "~")
		if !ok {
			text = strings.NewReplacer("{S}", made, "{W}", word).Replace(s)
			if secret = word; strings.Contains(s, "{S}") {
				secret = made
			}
		} else if secret == "{S}" {
			text, secret = strings.ReplaceAll(text, "{S}", made), made
		}
		if !strings.Contains(text, secret) {
			t.Errorf("%q is not in %q", secret, text)
		}
		for way, line := range wrapped(text) {
			if way == "in words" && ofLine.MatchString(text) {
				continue
			}
			r, err := redact.New(redact.Options{})
			if err != nil {
				t.Fatal(err)
			}
			got := string(r.Redact(nil, []byte(line)))
			if strings.Contains(got, secret) {
				t.Errorf("%s: %q is still in %q", way, secret, got)
			}
			if json.Valid([]byte(line)) && !json.Valid([]byte(got)) {
				t.Errorf("%s: %q is not JSON", way, got)
			}
			if again := string(r.Redact(nil, []byte(got))); again != got {
				t.Errorf("%s: %q becomes %q", way, got, again)
			}
		}
	}
}

// A record has each line of standard error as a text.
func TestSpellingsLineByLine(t *testing.T) {
	t.Parallel()
	for _, s := range spellings {
		text := strings.NewReplacer("{S}", made, "{W}", word).Replace(s)
		if !strings.Contains(text, "\n") || apart.MatchString(text) {
			continue
		}
		r := newRedactor(t, redact.Options{})
		var got []byte
		for line := range strings.Lines(text + "\n") {
			got = r.Redact(got, []byte(line))
			r.Redact(nil, []byte(`{"a":1}`)) // a message between two lines
		}
		if strings.Contains(string(got), made) || strings.Contains(string(got), word) {
			t.Errorf("%q becomes %q", text, got)
		}
		if next := string(r.Redact(nil, []byte("and so on\n"))); next != "and so on\n" {
			t.Errorf("after %q another line is %q", text, next)
		}
	}
}

// apart matches a name in one line whose value is in another.
var apart = regexp.MustCompile(`name: API_KEY\n|</key>\n|env:\n`)

// hidden has texts whose secrets earlier versions did not find.
var hidden = []string{
	"Set-Cookie: sid={W}", "Cookie: a=\"1\"; session={S}", "Set-Cookie: prefs=\"a|b\"; sid={S}; HttpOnly", "Authorization: AWS=\"1\" {S}",
	"     1\t-----BEGIN PRIVATE KEY-----\n     2\tMIIE\n     3\t{S}\n     4\t-----END PRIVATE KEY-----", "+-----BEGIN PRIVATE KEY-----\n+{S}\n+-----END PRIVATE KEY-----", "# -----BEGIN RSA PRIVATE KEY-----\n# {S}\n",
	"+  \"env\": {\n+    \"FOO\": \"{W}\"\n+  }", "     3\t  \"env\": {\n     4\t    \"FOO\": \"{W}\"\n     5\t  }", "env = {\n\"FOO\": \"{W}\"\n}", "env: { 'a': ')',\n'FOO': '{S}' }", "env = {\n\"x}y\": \"1\",\n\"FOO\": \"{S}\"\n}",
	"CONSUMER_KEY={W}", "consumerKey = \"{W}\"", "APPLICATION_KEY_HEX={W}", "SUDOPASS={W}", "connpass={W}",
	"\x1b[32mpassword\x1b[0m: {W}", "+\x1b[32mauth\x1b[0m={S}", `A=b\npassword: {W}\nC: d`, `A=b\nauth={S}`, `a\tjwt={S}`,
	"docker login https://registry.internal.example.com:5000/v2/team/project/a/very/long/path/that/goes/on -u deployer -p {W}", "htpasswd -b /" + strings.Repeat("a/", 60) + " bob {W}",
	"smbmap -u bob -p {W}", "security -q unlock-keychain -p {W}", "snyk auth --org=x {S}", "ngrok config add-authtoken --config=x {S}", "openssl enc -aes256 -k{S}",
	"username bob password 7 {S}", "enable password 5 {S}", "PASSWORD ?= {W}", "https://oauth2:" + strings.Repeat("aB3", 100) + "{S}@h/", "\"token\" => Some(\"{W}\")", "STRIPE_KEY: Some(\"{S}\")",
	"stripeTokens: \"{S}\"", "webhook_tokens = {S}", "TOKEN_X=hun{W}2", "userPasswordOfBob=p@ss!{W}0rd", "process.env[\"password2\"] = '{S}'", "password != \"{W}\"", "\"auth\" => Some(\"{W}\")",
}

func TestWhatSurvivedOnceIsHidden(t *testing.T) {
	t.Parallel()
	for _, h := range hidden {
		text := strings.NewReplacer("{S}", made, "{W}", word).Replace(h)
		if text == h {
			t.Errorf("there is no secret in %q", h)
		}
		for way, line := range map[string]string{"as it is": text, "in a message": wrapped(text)["in a message"], "twice": wrapped(text)["twice"]} {
			r := newRedactor(t, redact.Options{})
			got := string(r.Redact(nil, []byte(line)))
			if strings.Contains(got, made) || strings.Contains(got, word) {
				t.Errorf("%s: the secret is still in %q", way, got)
			}
			if json.Valid([]byte(line)) && !json.Valid([]byte(got)) {
				t.Errorf("%s: %q is not JSON", way, got)
			}
			if again := string(newRedactor(t, redact.Options{}).Redact(nil, []byte(got))); again != got {
				t.Errorf("%s: %q becomes %q", way, got, again)
			}
		}
	}
}
