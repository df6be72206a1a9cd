@description('Name of the Azure OpenAI resource, in the resource group that this module is deployed to.')
@minLength(2)
@maxLength(64)
param resourceName string

@description('Object id of the identity that plans.')
@minLength(1)
param principalId string

@description('Object id of the own identity of the search service; empty where it does not vectorize.')
param searchPrincipalId string

@description('Whether the search service vectorizes queries with this resource.')
param searchVectorizes bool

var openAIUser = '5e0bd9bd-7b93-4f28-af87-19fc36ad61bd'

resource account 'Microsoft.CognitiveServices/accounts@2026-07-01' existing = {
  name: resourceName
}

resource plans 'Microsoft.Authorization/roleAssignments@2022-04-01' = {
  name: guid(account.id, principalId, openAIUser)
  scope: account
  properties: {
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', openAIUser)
    principalId: principalId
    principalType: 'ServicePrincipal'
    description: 'Cognitive Services OpenAI User: the app calls the model.'
  }
}

resource vectorizes 'Microsoft.Authorization/roleAssignments@2022-04-01' = if (searchVectorizes) {
  name: guid(account.id, searchPrincipalId, openAIUser)
  scope: account
  properties: {
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', openAIUser)
    principalId: searchPrincipalId
    principalType: 'ServicePrincipal'
    description: 'Cognitive Services OpenAI User: the search service vectorizes queries.'
  }
}

@description('Resource id of the resource.')
output resourceId string = account.id

@description('Address of the resource.')
output endpoint string = account.properties.endpoint
