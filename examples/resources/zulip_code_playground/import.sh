# By name
terraform import zulip_code_playground.python "Python sandbox"

# By language and name, if several playgrounds have this name
terraform import zulip_code_playground.python "Python/Python sandbox"

# By ID
terraform import zulip_code_playground.python 7
