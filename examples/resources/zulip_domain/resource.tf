# Addresses of the company may join, those of its subsidiaries too.
resource "zulip_domain" "company" {
  domain           = "example.com"
  allow_subdomains = true
}
