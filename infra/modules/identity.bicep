@description('Name of the identity.')
@minLength(3)
@maxLength(128)
param name string

@description('Azure region.')
param location string

@description('Tags.')
param tags object

resource identity 'Microsoft.ManagedIdentity/userAssignedIdentities@2024-11-30' = {
  name: name
  location: location
  tags: tags
}

@description('Resource id.')
output id string = identity.id

@description('Object id, which roles are given to.')
output principalId string = identity.properties.principalId

@description('Client id, by which the app asks for tokens.')
output clientId string = identity.properties.clientId
