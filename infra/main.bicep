targetScope = 'subscription'

// azd passes every parameter. Booleans and integers have their defaults in main.parameters.json alone: where azd cannot
// read one, it takes the default that stands here, without a word.

// ---- Where, and for whom

@description('Name of the azd environment; part of every name and tag.')
@minLength(1)
@maxLength(32)
param environmentName string

@description('Azure region of everything that is created.')
@minLength(3)
@maxLength(40)
param location string

@description('Resource group that is created; empty for rg-<environmentName>.')
@maxLength(90)
param resourceGroupName string = ''

// ---- The app

@description('Memory of an instance in MB; CPU follows it: 0.25, 1 and 2 cores.')
@allowed([
  512
  2048
  4096
])
param instanceMemoryMB int

@description('Most instances the app is scaled out to.')
@minValue(40)
@maxValue(1000)
param maximumInstanceCount int

@description('HTTP requests an instance is given at once before another instance is started.')
@minValue(1)
@maxValue(1000)
param perInstanceConcurrency int

@description('Instances kept warm for HTTP; 0 scales to zero.')
@minValue(0)
@maxValue(1000)
param alwaysReadyInstances int

@description('What happens to running instances when a new package arrives: restarted, or drained in turns (preview).')
@allowed([
  'Recreate'
  'RollingUpdate'
])
param siteUpdateStrategy string = 'Recreate'

@description('Spread instances over availability zones; the region must have them, two instances stay always ready, and storage is Standard_ZRS.')
param zoneRedundant bool

@description('Replication of the storage account: within one building, or over zones, which not every region has.')
@allowed([
  'Standard_LRS'
  'Standard_ZRS'
])
param storageSku string = 'Standard_LRS'

@description('Requests in flight on one instance before the next gets a 429.')
@minValue(1)
@maxValue(10000)
param maxConcurrentRequests int

@description('Keys that callers send as api-key, comma-separated, or a Key Vault reference; empty for none.')
@secure()
param apiKeys string = ''

@description('The same for administrators.')
@secure()
param adminApiKeys string = ''

@description('Path of the agent definitions within the package; empty for none.')
@maxLength(260)
param agentsFile string = ''

@description('Roles of the fields by index; empty lets the service read the index definition.')
param indexFields object = {}

@description('Further settings of the service by name, as docs/operating/settings.md lists them; they win over those set here.')
@secure()
param moreSettings object = {}

// ---- Who is admitted by token

@description('Audience of Entra tokens that the service itself checks, such as api://<client id>; empty for none.')
@maxLength(200)
param entraAudience string = ''

@description('Client id of the app registration that App Service authentication checks tokens for; empty leaves it off.')
@maxLength(36)
param authClientId string = ''

@description('Tenant whose tokens are accepted; empty for that of the subscription.')
@maxLength(36)
param authTenantId string = ''

// ---- Search

@description('Name of an Azure AI Search service that is there already; empty creates one.')
@maxLength(60)
param existingSearchName string = ''

@description('Its resource group; empty for the one that is created.')
@maxLength(90)
param existingSearchResourceGroup string = ''

@description('Its subscription; empty for the one that is deployed to.')
@maxLength(36)
param existingSearchSubscription string = ''

@description('Pricing tier of a search service that is created.')
@allowed([
  'basic'
  'standard'
  'standard2'
  'standard3'
])
param searchSku string = 'basic'

@description('Replicas of a search service that is created; two answer for the SLA of reading.')
@minValue(1)
@maxValue(12)
param searchReplicas int

@description('Partitions of a search service that is created.')
@allowed([
  1
  2
  3
  4
  6
  12
])
param searchPartitions int

@description('Billing plan of the semantic ranker, which retrieve needs: free ends after 1,000 queries a month.')
@allowed([
  'free'
  'standard'
])
param semanticRanker string = 'standard'

@description('Whether a search service that is created takes keys too. Off, only identities are admitted.')
param searchLocalAuth bool

@description('Whether the search service vectorizes queries with the model resource; its own identity then gets the role for it.')
param searchVectorizes bool

@description('Object id of who deploys, as azd knows it; empty where nobody is known.')
@maxLength(36)
param principalId string = ''

@description('Whether that is a person or an application.')
@allowed([
  'User'
  'ServicePrincipal'
])
param principalType string = 'User'

@description('Whether who deploys may make indexes and load documents in a search service that is created.')
param deployerRoles bool

// ---- Model

@description('Whether sub-queries are planned by a model: one that is created, one that is there already, or none.')
@allowed([
  'new'
  'existing'
  'none'
])
param planner string = 'new'

@description('Name of the Azure OpenAI resource that is there already.')
@maxLength(64)
param existingModelResource string = ''

@description('Its resource group; empty for the one that is created.')
@maxLength(90)
param existingModelResourceGroup string = ''

@description('Its subscription; empty for the one that is deployed to.')
@maxLength(36)
param existingModelSubscription string = ''

@description('Name of the deployment that plans; created with a new resource, expected in one that is there already.')
@minLength(2)
@maxLength(64)
param modelDeployment string = 'planner'

@description('Model of the deployment that is created.')
@minLength(3)
@maxLength(64)
param modelName string = 'gpt-5.4-mini'

@description('Version of that model.')
@minLength(1)
@maxLength(32)
param modelVersion string = '2026-03-17'

@description('Where a new deployment is processed: anywhere, within the data zone, or in the region.')
@allowed([
  'GlobalStandard'
  'DataZoneStandard'
  'Standard'
])
param modelSku string = 'GlobalStandard'

@description('Rate limit of a new deployment, in thousands of tokens a minute.')
@minValue(1)
@maxValue(150000)
param modelCapacity int

@description('Events of retrieve and answer leave as they happen, over the HTTP streams extension, at the price of a slower cold start.')
param streamEvents bool

// ---- Network

@description('Reach storage, search and model through private endpoints, their public access off.')
param privateNetwork bool

@description('Whether callers may come from the internet. Off needs privateNetwork, and deploys from within the network only.')
param publicApp bool

@description('Address space of the virtual network.')
@minLength(9)
@maxLength(18)
param networkAddressPrefix string = '10.20.0.0/24'

@description('Addresses in it that the app calls out from; 40 instances need a /27, 1,000 a /25 or more.')
@minLength(9)
@maxLength(18)
param appSubnetPrefix string = '10.20.0.0/25'

@description('Addresses in it that private endpoints stand in, five at most.')
@minLength(9)
@maxLength(18)
param endpointSubnetPrefix string = '10.20.0.128/28'

// ---- Watching

@description('Address that alerts are mailed to; empty creates the alerts without one.')
@maxLength(254)
param alertEmail string = ''

@description('Which traces are kept: a share of them, so many a second and instance, all or none.')
@allowed([
  'microsoft.fixed_percentage'
  'microsoft.rate_limited'
  'always_on'
  'always_off'
])
param traceSampler string = 'microsoft.fixed_percentage'

@description('Traces that an instance keeps a second, with microsoft.rate_limited.')
@minValue(1)
@maxValue(1000)
param tracesPerSecond int

@description('Percent of the traces that are kept, with microsoft.fixed_percentage.')
@minValue(1)
@maxValue(100)
param tracesPercent int

@description('Days that logs are kept.')
@minValue(30)
@maxValue(730)
param logRetentionDays int

@description('Gigabytes of logs a day before ingestion stops; -1 for no cap.')
@minValue(-1)
@maxValue(1000)
param logDailyCapGB int

@description('Share of answers with a status of 500 or more, in percent over 15 minutes, that raises an alert.')
@minValue(1)
@maxValue(100)
param alertErrorPercent int

@description('95th percentile of the duration in milliseconds, over 15 minutes, that raises an alert.')
@minValue(100)
@maxValue(60000)
param alertLatencyMs int

@description('Share of throttled calls, in percent over 15 minutes, that raises an alert.')
@minValue(1)
@maxValue(100)
param alertThrottledPercent int

@description('Money a month, in the currency of the subscription, of which operators are told at 80 % spent and 100 % expected; 0 for no budget.')
@minValue(0)
@maxValue(10000000)
param budgetAmount int

@description('First day of the month in which the budget begins, such as 2026-12-01; it stays what it is when you deploy again.')
@maxLength(10)
param budgetStart string = ''

@description('Where the runbook is that alerts name a section of: a path of this repository, or the address of your copy.')
@minLength(1)
@maxLength(200)
param runbook string = 'docs/operating/runbook.md'

// ---- Names

var suffix = toLower(uniqueString(subscription().id, environmentName, location))
var reachable = publicApp || privateNetwork
var usualGroup = empty(resourceGroupName) ? 'rg-${environmentName}' : resourceGroupName
// The number that is none refuses: fail() is unknown to checkov's parser.
var groupName = reachable ? usualGroup : string(int('publicApp=false needs privateNetwork=true, or nobody reaches the app'))
var newSearch = empty(existingSearchName)
var searchName = newSearch ? 'srch-${suffix}' : existingSearchName
var searchGroup = newSearch || empty(existingSearchResourceGroup) ? groupName : existingSearchResourceGroup
var searchHere = newSearch || empty(existingSearchSubscription)
var searchSubscription = searchHere ? subscription().subscriptionId : existingSearchSubscription
var newModel = planner == 'new'
var modelled = planner != 'none'
var modelResource = newModel ? 'oai-${suffix}' : existingModelResource
var modelGroup = newModel || empty(existingModelResourceGroup) ? groupName : existingModelResourceGroup
var modelHere = newModel || empty(existingModelSubscription)
var modelSubscription = modelHere ? subscription().subscriptionId : existingModelSubscription
var tags = {
  'azd-env-name': environmentName
}

var tracesShare = tracesPercent == 100 ? '1' : '0.${padLeft(string(tracesPercent), 2, '0')}'
var tokenTenant = empty(authTenantId) ? tenant().tenantId : authTenantId
var byToken = !empty(entraAudience) || !empty(authClientId)

// Every setting of the service stands here, an empty one is an unset one: no key given by hand outlives a deployment.
var settings = {
  AZURE_SEARCH_ENDPOINT: searchAccess.outputs.endpoint
  AZURE_SEARCH_API_KEY: ''
  AZURE_SEARCH_AUDIENCE: ''
  AZURE_OPENAI_ENDPOINT: modelled ? modelAccess!.outputs.endpoint : ''
  AZURE_OPENAI_DEPLOYMENT: modelled ? modelDeployment : ''
  AZURE_OPENAI_API_KEY: ''
  AZURE_OPENAI_AUDIENCE: ''
  AZURE_AUTHORITY_HOST: ''
  AZURE_CLIENT_ID: identity.outputs.clientId
  API_KEYS: apiKeys
  ADMIN_API_KEYS: adminApiKeys
  ENTRA_TENANT_ID: byToken ? tokenTenant : ''
  ENTRA_AUTHORITY: ''
  ENTRA_AUDIENCE: entraAudience
  BASE_KEYS: ''
  BASE_ROLES: ''
  ENTRA_RETRIEVE_ROLES: ''
  ENTRA_MANAGE_ROLES: ''
  APP_SERVICE_AUTH: empty(authClientId) ? '0' : '1'
  USER_TOKEN_AGENTS: ''
  IMPOSED_FILTERS: ''
  LOG_CONTENT: ''
  LOG_CALLS_PERCENT: ''
  TRACE_STEPS: ''
  STREAM_EVENTS: streamEvents ? '1' : ''
  LIMITS: ''
  AGENTS_FILE: agentsFile
  AGENTS_STORE: storage.outputs.tableEndpoint
  ALLOWED_MODELS: ''
  INDEX_FIELDS: empty(indexFields) ? '' : string(indexFields)
  MAX_CONCURRENT_REQUESTS: string(maxConcurrentRequests)
  MODEL_STUDIO_BASES: ''
  MODEL_STUDIO_ACCESS_KEY_ID: ''
  MODEL_STUDIO_ACCESS_KEY_SECRET: ''
  MCP_HOSTS: ''
  MCP_HEADERS: ''
  MCP_UNMARKED_TOOLS: ''
  WORKSPACES: ''
  ACCESS_KEYS: ''
  PUBLIC_HOSTS: ''
  AGENT_EFFORT: ''
  CORS_ORIGINS: ''
  BASE_PATH: ''
  PLAYGROUND: ''
  WAIT_FOR_LATE_SEARCHES: ''
  STRICT_API_VERSIONS: ''
}

// ---- Resources

resource group 'Microsoft.Resources/resourceGroups@2025-04-01' = {
  name: groupName
  location: location
  tags: tags
}

module identity 'modules/identity.bicep' = {
  name: 'identity'
  scope: group
  params: {
    name: 'id-${suffix}'
    location: location
    tags: tags
  }
}

module monitoring 'modules/monitoring.bicep' = {
  name: 'monitoring'
  scope: group
  params: {
    suffix: suffix
    location: location
    tags: tags
    retentionDays: logRetentionDays
    dailyCapGB: logDailyCapGB
    principalId: identity.outputs.principalId
  }
}

module storage 'modules/storage.bicep' = {
  name: 'storage'
  scope: group
  params: {
    name: 'st${suffix}'
    location: location
    tags: tags
    sku: zoneRedundant ? 'Standard_ZRS' : storageSku
    publicAccess: !privateNetwork
    principalId: identity.outputs.principalId
  }
}

module search 'modules/search.bicep' = if (newSearch) {
  name: 'search'
  scope: group
  params: {
    name: searchName
    location: location
    tags: tags
    sku: searchSku
    replicas: searchReplicas
    partitions: searchPartitions
    semanticRanker: semanticRanker
    localAuth: searchLocalAuth
    publicAccess: !privateNetwork
    deployerId: deployerRoles ? principalId : ''
    deployerType: principalType
  }
}

module searchAccess 'modules/search-access.bicep' = {
  name: 'search-access-${suffix}'
  scope: resourceGroup(searchSubscription, searchGroup)
  params: {
    searchName: searchName
    principalId: identity.outputs.principalId
    vectorizes: searchVectorizes
  }
  dependsOn: [
    search
  ]
}

module model 'modules/model.bicep' = if (newModel) {
  name: 'model'
  scope: group
  params: {
    name: modelResource
    location: location
    tags: tags
    deployment: modelDeployment
    modelName: modelName
    modelVersion: modelVersion
    skuName: modelSku
    capacity: modelCapacity
    publicAccess: !privateNetwork
  }
}

module modelAccess 'modules/model-access.bicep' = if (modelled) {
  name: 'model-access-${suffix}'
  scope: resourceGroup(modelSubscription, modelGroup)
  params: {
    resourceName: modelResource
    principalId: identity.outputs.principalId
    searchPrincipalId: searchAccess.outputs.searchPrincipalId
    searchVectorizes: searchVectorizes
  }
  dependsOn: [
    model
  ]
}

module network 'modules/network.bicep' = if (privateNetwork) {
  name: 'network'
  scope: group
  params: {
    suffix: suffix
    location: location
    tags: tags
    addressPrefix: networkAddressPrefix
    appPrefix: appSubnetPrefix
    endpointPrefix: endpointSubnetPrefix
    storageId: storage.outputs.id
    searchId: searchAccess.outputs.searchId
    modelId: modelled ? modelAccess!.outputs.resourceId : ''
  }
}

module app 'modules/app.bicep' = {
  name: 'app'
  scope: group
  params: {
    suffix: suffix
    location: location
    tags: tags
    identityId: identity.outputs.id
    identityClientId: identity.outputs.clientId
    storageName: storage.outputs.name
    packageContainerUri: storage.outputs.packageContainerUri
    insightsConnection: monitoring.outputs.connectionString
    traceSampler: traceSampler
    traceSamplerArgument: traceSampler == 'microsoft.rate_limited' ? string(tracesPerSecond) : tracesShare
    subnetId: privateNetwork ? network!.outputs.appSubnetId : ''
    publicAccess: publicApp
    instanceMemoryMB: instanceMemoryMB
    maximumInstanceCount: maximumInstanceCount
    perInstanceConcurrency: perInstanceConcurrency
    alwaysReadyInstances: alwaysReadyInstances
    siteUpdateStrategy: siteUpdateStrategy
    zoneRedundant: zoneRedundant
    settings: union(settings, moreSettings)
    authClientId: authClientId
    authTenantId: tokenTenant
  }
}

module appEndpoint 'modules/private-endpoint.bicep' = if (privateNetwork && !publicApp) {
  name: 'app-endpoint'
  scope: group
  params: {
    name: 'pe-app-${suffix}'
    location: location
    tags: tags
    targetId: app.outputs.id
    groupId: 'sites'
    subnetId: privateNetwork ? network!.outputs.endpointSubnetId : ''
    networkId: privateNetwork ? network!.outputs.id : ''
    zoneName: 'privatelink.azurewebsites.net'
  }
}

module alerts 'modules/alerts.bicep' = {
  name: 'alerts'
  scope: group
  params: {
    suffix: suffix
    location: location
    tags: tags
    workspaceId: monitoring.outputs.workspaceId
    insightsId: monitoring.outputs.insightsId
    searchId: searchAccess.outputs.searchId
    endpoint: publicApp ? app.outputs.endpoint : ''
    dailyCapGB: logDailyCapGB
    budgetAmount: budgetAmount
    budgetStart: budgetStart
    runbook: runbook
    email: alertEmail
    errorPercent: alertErrorPercent
    latencyMs: alertLatencyMs
    throttledPercent: alertThrottledPercent
  }
}

// ---- What azd and the pipelines read

@description('Resource group of the app.')
output AZURE_RESOURCE_GROUP string = group.name

@description('Name of the function app.')
output AZURE_FUNCTION_APP_NAME string = app.outputs.name

@description('Address that callers use.')
output RETRIEVAL_ENDPOINT string = app.outputs.endpoint

@description('Address of the search service.')
output AZURE_SEARCH_ENDPOINT string = searchAccess.outputs.endpoint

@description('Address of the model resource; empty without one.')
output AZURE_OPENAI_ENDPOINT string = modelled ? modelAccess!.outputs.endpoint : ''

@description('Object id of the identity that the service runs as, for roles elsewhere.')
output SERVICE_PRINCIPAL_ID string = identity.outputs.principalId
