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

@description('Whether that resource group is there already: it stays as it is, with its own tags.')
param existingResourceGroup bool

@description('Tags of every resource, beside azd-env-name.')
param extraTags object = {}

@description('Names of resources in place of those that are made up, by the keys that docs/operating/parameters.md lists.')
param resourceNames object = {}

// ---- The app

@description('Memory of an instance in MB; CPU follows it: 0.25, 1 and 2 cores.')
@allowed([
  512
  2048
  4096
])
param instanceMemoryMB int

@description('Most instances the app is scaled out to.')
@minValue(1)
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

@description('How often a caller may ask one instance, as docs/operating/access.md says; empty for 3,000 times a minute each.')
param limits object = {}

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

@description('Client ids of the applications whose tokens App Service authentication lets in; empty for all of the tenant.')
param authAllowedApplications array = []

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

@description('Id of the Azure Front Door through which callers come, and by no other way; empty for any way.')
@maxLength(36)
param frontDoorId string = ''

@description('Subnet that the app calls out from, by its resource id, delegated to Microsoft.App/environments; empty creates a network.')
@maxLength(500)
param existingAppSubnetId string = ''

@description('Subnet of the same network that private endpoints stand in, by its resource id.')
@maxLength(500)
param existingEndpointSubnetId string = ''

@description('Private DNS zones: new, existing ones that the network is linked to, or none, where a policy registers endpoints.')
@allowed([
  'new'
  'existing'
  'none'
])
param privateDns string = 'new'

@description('Resource group of existing private DNS zones.')
@maxLength(90)
param existingDnsResourceGroup string = ''

@description('Its subscription; empty for the one that is deployed to.')
@maxLength(36)
param existingDnsSubscription string = ''

@description('Whether telemetry goes through a private link scope of its own; off where the network has one.')
param monitorPrivateLink bool

@description('Address space of the virtual network.')
@minLength(9)
@maxLength(18)
param networkAddressPrefix string = '10.20.0.0/24'

@description('Addresses in it that the app calls out from; 40 instances need a /27, 1,000 a /25 or more.')
@minLength(9)
@maxLength(18)
param appSubnetPrefix string = '10.20.0.0/25'

@description('Addresses in it that private endpoints stand in; with that of Azure Monitor a /27.')
@minLength(9)
@maxLength(18)
param endpointSubnetPrefix string = '10.20.0.128/27'

// ---- Watching

@description('Log Analytics workspace that is there already, by its resource id; empty creates one.')
@maxLength(500)
param existingWorkspaceId string = ''

@description('Whether app, search, storage and model that are created send their logs to the workspace.')
param diagnosticSettings bool

@description('Address that alerts are mailed to; empty creates the alerts without one.')
@maxLength(254)
param alertEmail string = ''

@description('Resource id of an action group that is told of alerts; empty creates one.')
@maxLength(500)
param alertActionGroupId string = ''

@description('Whether a timer asks every five minutes if the app is ready, and an alert is raised where it tells nothing.')
param heartbeat bool

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

// ---- What is refused, before anything is created

var keyed = !empty(apiKeys) || !empty(adminApiKeys)
var byToken = !empty(entraAudience) || !empty(authClientId)
// Each name stands after a comma; a quote within a value has a backslash.
var settingNames = toLower(join(split(string(moreSettings), '{"'), ',"'))
var admittedOtherwise = contains(settingNames, ',"api_keys"') || contains(settingNames, ',"admin_api_keys"') || contains(settingNames, ',"access_keys"') || contains(settingNames, ',"base_keys"') || contains(settingNames, ',"entra_audience"')
var ofPlatform = contains(settingNames, ',"azurewebjobs') || contains(settingNames, ',"functions_') || contains(settingNames, ',"website_') || contains(settingNames, ',"applicationinsights_') || contains(settingNames, ',"python_') || contains(settingNames, ',"otel_resource_attributes') || contains(settingNames, ',"otel_traces_sampler')
var ofDeveloper = contains(settingNames, ',"local"') || contains(settingNames, ',"local_') || contains(settingNames, ',"embeddings_') || contains(settingNames, ',"chat_') || contains(settingNames, ',"in_azure"') || contains(settingNames, ',"platform_auth"')
var clientGroups = split(authClientId, '-')
var clientIsId = length(authClientId) == 36 && length(clientGroups) == 5 && length(first(clientGroups)) == 8 && length(last(clientGroups)) == 12
var appsAreIds = length(join(authAllowedApplications, '')) == 36 * length(authAllowedApplications)
var basic = searchSku == 'basic'
var oldModel = planner == 'existing'
var dnsIsOld = privateDns == 'existing'
var ownSubnets = !empty(existingAppSubnetId) || !empty(existingEndpointSubnetId)
var bothSubnets = !empty(existingAppSubnetId) && !empty(existingEndpointSubnetId)
var networkOf = first(split(existingEndpointSubnetId, '/subnets/'))
var misnamed = length(union(usualNames, resourceNames)) > length(usualNames)

// All of them at once, each of a value that would cost something, or be ignored, before anybody saw it.
var refusals = [
  !keyed && !byToken && !admittedOtherwise ? 'Nobody is admitted: set API_KEYS, ENTRA_AUDIENCE or AUTH_CLIENT_ID.' : ''
  !empty(authClientId) && !clientIsId ? 'AUTH_CLIENT_ID is no client id.' : ''
  empty(authClientId) && !empty(authAllowedApplications) ? 'AUTH_ALLOWED_APPLICATIONS needs AUTH_CLIENT_ID.' : ''
  !appsAreIds ? 'AUTH_ALLOWED_APPLICATIONS has what is no client id.' : ''
  !byToken && !empty(authTenantId) ? 'AUTH_TENANT_ID needs AUTH_CLIENT_ID or ENTRA_AUDIENCE.' : ''
  ofPlatform ? 'MORE_SETTINGS has a setting of the platform, which the template sets.' : ''
  ofDeveloper ? 'MORE_SETTINGS has a setting for a developer machine, such as LOCAL.' : ''
  perInstanceConcurrency > maxConcurrentRequests ? 'PER_INSTANCE_CONCURRENCY is over MAX_CONCURRENT_REQUESTS.' : ''
  alwaysReadyInstances > maximumInstanceCount ? 'ALWAYS_READY_INSTANCES is over MAXIMUM_INSTANCE_COUNT.' : ''
  logDailyCapGB == 0 ? 'LOG_DAILY_CAP_GB=0 keeps no log; -1 is no cap.' : ''
  budgetAmount > 0 && empty(budgetStart) ? 'BUDGET_AMOUNT needs BUDGET_START.' : ''
  newSearch && basic && searchReplicas > 3 ? 'SEARCH_SKU=basic has three SEARCH_REPLICAS at most.' : ''
  newSearch && basic && searchPartitions > 3 ? 'SEARCH_SKU=basic has three SEARCH_PARTITIONS at most.' : ''
  newSearch && searchReplicas * searchPartitions > 36 ? 'SEARCH_REPLICAS times SEARCH_PARTITIONS is 36 at most.' : ''
  newSearch && !empty(existingSearchResourceGroup) ? 'EXISTING_SEARCH_RESOURCE_GROUP needs EXISTING_SEARCH_NAME.' : ''
  newSearch && !empty(existingSearchSubscription) ? 'EXISTING_SEARCH_SUBSCRIPTION needs EXISTING_SEARCH_NAME.' : ''
  oldModel && empty(existingModelResource) ? 'PLANNER=existing needs EXISTING_MODEL_RESOURCE.' : ''
  !oldModel && !empty(existingModelResource) ? 'EXISTING_MODEL_RESOURCE needs PLANNER=existing.' : ''
  !oldModel && !empty(existingModelResourceGroup) ? 'EXISTING_MODEL_RESOURCE_GROUP needs PLANNER=existing.' : ''
  !oldModel && !empty(existingModelSubscription) ? 'EXISTING_MODEL_SUBSCRIPTION needs PLANNER=existing.' : ''
  existingResourceGroup && empty(resourceGroupName) ? 'EXISTING_RESOURCE_GROUP needs AZURE_RESOURCE_GROUP.' : ''
  !empty(alertEmail) && !empty(alertActionGroupId) ? 'ALERT_EMAIL and ALERT_ACTION_GROUP_ID exclude each other: add the address to the group.' : ''
  misnamed ? 'RESOURCE_NAMES has a key that names no resource.' : ''
  !publicApp && !privateNetwork ? 'PUBLIC_APP=false needs PRIVATE_NETWORK=true, or nobody reaches the app.' : ''
  !publicApp && !empty(frontDoorId) ? 'FRONT_DOOR_ID needs PUBLIC_APP=true: it comes over the internet.' : ''
  ownSubnets && !privateNetwork ? 'EXISTING_APP_SUBNET_ID and EXISTING_ENDPOINT_SUBNET_ID need PRIVATE_NETWORK=true.' : ''
  ownSubnets && !bothSubnets ? 'EXISTING_APP_SUBNET_ID and EXISTING_ENDPOINT_SUBNET_ID need each other.' : ''
  bothSubnets && existingAppSubnetId == existingEndpointSubnetId ? 'The app and private endpoints need a subnet each.' : ''
  dnsIsOld && empty(existingDnsResourceGroup) ? 'PRIVATE_DNS=existing needs EXISTING_DNS_RESOURCE_GROUP.' : ''
  !dnsIsOld && !empty(existingDnsResourceGroup) ? 'EXISTING_DNS_RESOURCE_GROUP needs PRIVATE_DNS=existing.' : ''
  !dnsIsOld && !empty(existingDnsSubscription) ? 'EXISTING_DNS_SUBSCRIPTION needs PRIVATE_DNS=existing.' : ''
  privateDns != 'new' && !privateNetwork ? 'PRIVATE_DNS needs PRIVATE_NETWORK=true.' : ''
]
var refused = trim(join(refusals, ' '))

// ---- Names

var suffix = toLower(uniqueString(subscription().id, environmentName, location))
var usualGroup = empty(resourceGroupName) ? 'rg-${environmentName}' : resourceGroupName
// The number that is none refuses: fail() is unknown to checkov's parser.
var groupName = empty(refused) ? usualGroup : string(int(refused))
var usualNames = {
  alerts: suffix
  app: 'func-${suffix}'
  appEndpoint: 'pe-app-${suffix}'
  appRules: 'nsg-app-${suffix}'
  availability: 'ready-${suffix}'
  blobEndpoint: 'pe-blob-${suffix}'
  budget: 'budget-${suffix}'
  endpointRules: 'nsg-endpoints-${suffix}'
  identity: 'id-${suffix}'
  insights: 'appi-${suffix}'
  model: 'oai-${suffix}'
  modelEndpoint: 'pe-model-${suffix}'
  monitorEndpoint: 'pe-monitor-${suffix}'
  monitorScope: 'ampls-${suffix}'
  network: 'vnet-${suffix}'
  operators: 'ag-${suffix}'
  plan: 'plan-${suffix}'
  search: 'srch-${suffix}'
  searchEndpoint: 'pe-search-${suffix}'
  storage: 'st${suffix}'
  tableEndpoint: 'pe-table-${suffix}'
  workbook: 'Agentic retrieval'
  workspace: 'log-${suffix}'
}
var names = union(usualNames, resourceNames)
var newSearch = empty(existingSearchName)
var searchName = newSearch ? names.search : existingSearchName
var searchGroup = newSearch || empty(existingSearchResourceGroup) ? groupName : existingSearchResourceGroup
var searchHere = newSearch || empty(existingSearchSubscription)
var searchSubscription = searchHere ? subscription().subscriptionId : existingSearchSubscription
var newModel = planner == 'new'
var modelled = planner != 'none'
var modelResource = newModel ? names.model : existingModelResource
var modelGroup = newModel || empty(existingModelResourceGroup) ? groupName : existingModelResourceGroup
var modelHere = newModel || empty(existingModelSubscription)
var modelSubscription = modelHere ? subscription().subscriptionId : existingModelSubscription
var tags = union(extraTags, {
  'azd-env-name': environmentName
})

// ---- Network

var newNetwork = privateNetwork && !ownSubnets
var newZones = privateNetwork && privateDns == 'new'
var monitorLinked = privateNetwork && monitorPrivateLink
var zonesHere = empty(existingDnsSubscription)
var zoneSubscription = zonesHere ? subscription().subscriptionId : existingDnsSubscription
var zoneGroup = dnsIsOld ? existingDnsResourceGroup : groupName
var zonesBelow = privateDns == 'none' ? '' : '/subscriptions/${zoneSubscription}/resourceGroups/${zoneGroup}/providers/Microsoft.Network/privateDnsZones/'
// A Foundry resource answers to three names: https://learn.microsoft.com/azure/private-link/private-endpoint-dns
var zones = {
  agents: 'privatelink.agentsvc.azure-automation.net'
  ai: 'privatelink.services.ai.azure.com'
  blob: 'privatelink.blob.${environment().suffixes.storage}'
  cognitive: 'privatelink.cognitiveservices.azure.com'
  monitor: 'privatelink.monitor.azure.com'
  ods: 'privatelink.ods.opinsights.azure.com'
  oms: 'privatelink.oms.opinsights.azure.com'
  openAI: 'privatelink.openai.azure.com'
  search: 'privatelink.search.windows.net'
  sites: 'privatelink.azurewebsites.net'
  table: 'privatelink.table.${environment().suffixes.storage}'
}

var tracesShare = tracesPercent == 100 ? '1' : '0.${padLeft(string(tracesPercent), 2, '0')}'
var tokenTenant = empty(authTenantId) ? tenant().tenantId : authTenantId

// More than an instance answers that has sixteen requests of a second at once: a flood, and no honest caller.
var usualLimits = {
  '*': {
    minute: 3000
  }
}

// settings.json has every setting of the service, and none has a value there. An empty one is an unset one: no key given
// by hand outlives a deployment.
var settings = union(json(loadTextContent('settings.json')), {
  AZURE_SEARCH_ENDPOINT: searchAccess.outputs.endpoint
  AZURE_OPENAI_ENDPOINT: modelled ? modelAccess!.outputs.endpoint : ''
  AZURE_OPENAI_DEPLOYMENT: modelled ? modelDeployment : ''
  AZURE_CLIENT_ID: identity.outputs.clientId
  API_KEYS: apiKeys
  ADMIN_API_KEYS: adminApiKeys
  ENTRA_TENANT_ID: byToken ? tokenTenant : ''
  ENTRA_AUDIENCE: entraAudience
  APP_SERVICE_AUTH: empty(authClientId) ? '0' : '1'
  ALERTS_REACH_NOBODY: empty(alertEmail) && empty(alertActionGroupId) ? '1' : ''
  HEARTBEAT: heartbeat ? '1' : ''
  STREAM_EVENTS: streamEvents ? '1' : ''
  LIMITS: string(empty(limits) ? usualLimits : limits)
  AGENTS_FILE: agentsFile
  AGENTS_STORE: storage.outputs.tableEndpoint
  INDEX_FIELDS: empty(indexFields) ? '' : string(indexFields)
  MAX_CONCURRENT_REQUESTS: string(maxConcurrentRequests)
})

var loggedTo = diagnosticSettings ? monitoring.outputs.workspaceId : ''

// ---- Resources

resource group 'Microsoft.Resources/resourceGroups@2025-04-01' = if (!existingResourceGroup) {
  name: groupName
  location: location
  tags: tags
}

module identity 'modules/identity.bicep' = {
  name: 'identity'
  scope: resourceGroup(groupName)
  params: {
    name: names.identity
    location: location
    tags: tags
  }
  dependsOn: [
    group
  ]
}

module monitoring 'modules/monitoring.bicep' = {
  name: 'monitoring'
  scope: resourceGroup(groupName)
  params: {
    workspaceName: names.workspace
    insightsName: names.insights
    workbookTitle: names.workbook
    existingWorkspaceId: existingWorkspaceId
    location: location
    tags: tags
    retentionDays: logRetentionDays
    dailyCapGB: logDailyCapGB
    publicIngestion: publicApp || !monitorLinked
    publicQuery: !privateNetwork
    principalId: identity.outputs.principalId
  }
  dependsOn: [
    group
  ]
}

module storage 'modules/storage.bicep' = {
  name: 'storage'
  scope: resourceGroup(groupName)
  params: {
    name: names.storage
    location: location
    tags: tags
    sku: zoneRedundant ? 'Standard_ZRS' : storageSku
    publicAccess: !privateNetwork
    principalId: identity.outputs.principalId
    workspaceId: loggedTo
  }
  dependsOn: [
    group
  ]
}

module search 'modules/search.bicep' = if (newSearch) {
  name: 'search'
  scope: resourceGroup(groupName)
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
    workspaceId: loggedTo
  }
  dependsOn: [
    group
  ]
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
    group
    search
  ]
}

module model 'modules/model.bicep' = if (newModel) {
  name: 'model'
  scope: resourceGroup(groupName)
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
    workspaceId: loggedTo
  }
  dependsOn: [
    group
  ]
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
    group
    model
  ]
}

module network 'modules/network.bicep' = if (newNetwork) {
  name: 'network'
  scope: resourceGroup(groupName)
  params: {
    name: names.network
    appRulesName: names.appRules
    endpointRulesName: names.endpointRules
    location: location
    tags: tags
    addressPrefix: networkAddressPrefix
    appPrefix: appSubnetPrefix
    endpointPrefix: endpointSubnetPrefix
  }
  dependsOn: [
    group
  ]
}

module privateZones 'modules/private-zones.bicep' = if (newZones) {
  name: 'private-zones'
  scope: resourceGroup(groupName)
  params: {
    zones: zones
    tags: tags
    networkId: newNetwork ? network!.outputs.id : networkOf
    modelled: modelled
    monitored: monitorLinked
    ofApp: !publicApp
  }
  dependsOn: [
    group
  ]
}

module monitorScope 'modules/monitor-scope.bicep' = if (monitorLinked) {
  name: 'monitor-scope'
  scope: resourceGroup(groupName)
  params: {
    name: names.monitorScope
    tags: tags
    workspaceId: monitoring.outputs.workspaceId
    insightsId: monitoring.outputs.insightsId
  }
  dependsOn: [
    group
  ]
}

module endpoints 'modules/private-endpoints.bicep' = if (privateNetwork) {
  name: 'private-endpoints'
  scope: resourceGroup(groupName)
  params: {
    names: names
    location: location
    tags: tags
    subnetId: newNetwork ? network!.outputs.endpointSubnetId : existingEndpointSubnetId
    zones: zones
    zonesBelow: zonesBelow
    storageId: storage.outputs.id
    searchId: searchAccess.outputs.searchId
    modelId: modelled ? modelAccess!.outputs.resourceId : ''
    monitorScopeId: monitorLinked ? monitorScope!.outputs.id : ''
  }
  dependsOn: [
    group
    privateZones
  ]
}

module app 'modules/app.bicep' = {
  name: 'app'
  scope: resourceGroup(groupName)
  params: {
    name: names.app
    planName: names.plan
    location: location
    tags: tags
    identityId: identity.outputs.id
    identityClientId: identity.outputs.clientId
    storageName: storage.outputs.name
    packageContainerUri: storage.outputs.packageContainerUri
    insightsConnection: monitoring.outputs.connectionString
    traceSampler: traceSampler
    traceSamplerArgument: traceSampler == 'microsoft.rate_limited' ? string(tracesPerSecond) : tracesShare
    subnetId: newNetwork ? network!.outputs.appSubnetId : existingAppSubnetId
    workspaceId: loggedTo
    publicAccess: publicApp
    frontDoorId: frontDoorId
    instanceMemoryMB: instanceMemoryMB
    maximumInstanceCount: maximumInstanceCount
    perInstanceConcurrency: perInstanceConcurrency
    alwaysReadyInstances: alwaysReadyInstances
    siteUpdateStrategy: siteUpdateStrategy
    zoneRedundant: zoneRedundant
    settings: union(settings, moreSettings)
    authClientId: authClientId
    authTenantId: tokenTenant
    authAllowedApplications: authAllowedApplications
  }
  dependsOn: [
    group
    endpoints
  ]
}

module appEndpoint 'modules/private-endpoint.bicep' = if (privateNetwork && !publicApp) {
  name: 'app-endpoint'
  scope: resourceGroup(groupName)
  params: {
    name: names.appEndpoint
    location: location
    tags: tags
    targetId: app.outputs.id
    groupId: 'sites'
    subnetId: newNetwork ? network!.outputs.endpointSubnetId : existingEndpointSubnetId
    zones: empty(zonesBelow) ? [] : [
      {
        name: 'sites'
        properties: {
          privateDnsZoneId: '${zonesBelow}${zones.sites}'
        }
      }
    ]
  }
  dependsOn: [
    group
    privateZones
  ]
}

module alerts 'modules/alerts.bicep' = {
  name: 'alerts'
  scope: resourceGroup(groupName)
  params: {
    suffix: names.alerts
    operatorsName: names.operators
    availabilityName: names.availability
    budgetName: names.budget
    location: location
    tags: tags
    workspaceId: monitoring.outputs.workspaceId
    insightsId: monitoring.outputs.insightsId
    searchId: searchAccess.outputs.searchId
    endpoint: publicApp ? app.outputs.endpoint : ''
    heartbeat: heartbeat
    dailyCapGB: empty(existingWorkspaceId) ? logDailyCapGB : -1
    budgetAmount: budgetAmount
    budgetStart: budgetStart
    runbook: runbook
    email: alertEmail
    actionGroupId: alertActionGroupId
    errorPercent: alertErrorPercent
    latencyMs: alertLatencyMs
    throttledPercent: alertThrottledPercent
  }
  dependsOn: [
    group
  ]
}

// ---- What azd and the pipelines read

@description('Resource group of the app.')
output AZURE_RESOURCE_GROUP string = groupName

@description('Name of the function app.')
output AZURE_FUNCTION_APP_NAME string = app.outputs.name

@description('Address that callers use.')
output RETRIEVAL_ENDPOINT string = app.outputs.endpoint

@description('Address of the search service.')
output AZURE_SEARCH_ENDPOINT string = searchAccess.outputs.endpoint

@description('Address of the model resource; empty without one.')
output AZURE_OPENAI_ENDPOINT string = modelled ? modelAccess!.outputs.endpoint : ''

@description('Address of the table of definitions, for `python -m retrieval.doctor export`.')
output AGENTS_STORE string = storage.outputs.tableEndpoint

@description('Object id of the identity that the service runs as, for roles elsewhere.')
output SERVICE_PRINCIPAL_ID string = identity.outputs.principalId
