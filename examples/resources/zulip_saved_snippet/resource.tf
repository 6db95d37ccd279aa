resource "zulip_saved_snippet" "handover" {
  title   = "Handover"
  content = <<-EOT
    **Open incidents**:
    **What to watch**:
  EOT
}
