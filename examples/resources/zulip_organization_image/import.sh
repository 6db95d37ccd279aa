# The kind of picture, =, and the path of its file
terraform import 'zulip_organization_image.logo["logo"]' logo=./logo.png
