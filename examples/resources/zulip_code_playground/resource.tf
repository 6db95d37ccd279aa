resource "zulip_code_playground" "python" {
  name              = "Python sandbox"
  pygments_language = "Python"
  url_template      = "https://python.example.com/?code={code}"
}
