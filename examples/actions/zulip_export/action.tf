# Exports public data and, of the people who consent to it, private data.
action "zulip_export" "standard" {
  config {
    export_type = "standard"
    link_file   = pathexpand("~/zulip-export-link")
    timeout     = "2h"
  }
}
