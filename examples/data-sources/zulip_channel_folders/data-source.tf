data "zulip_channel_folders" "all" {}

output "folders" {
  value = [for folder in data.zulip_channel_folders.all.folders : folder.name]
}
